{{/*
Refuses values that contradict each other, and changes that a cluster cannot take. The latter need the API server: `helm template` and a
dry run of the client see nothing of it.
*/}}
{{- define "quorate.checks" -}}
{{- include "quorate.checkValues" . -}}
{{- include "quorate.checkMembers" . -}}
{{- include "quorate.checkVolumes" . -}}
{{- include "quorate.checkName" . -}}
{{- end }}

{{- define "quorate.checkValues" -}}
{{- $first := int .Values.members.first -}}
{{- if .Values.zones -}}
{{- if ne (len .Values.zones) $first -}}
{{- fail (printf "zones has %d names for %d members: name one zone for each of members.first, or none." (len .Values.zones) $first) -}}
{{- end -}}
{{- if ne (len (uniq .Values.zones)) (len .Values.zones) -}}
{{- fail "zones has a name twice: with fewer zones than pods it is unknown which pod gets into which zone. Leave zones empty." -}}
{{- end -}}
{{- end -}}
{{- if and .Values.replicas (lt (int .Values.replicas) $first) -}}
{{- fail (printf "replicas is %d, and members.first %d: there are no fewer pods than members of the first start, or none." (int .Values.replicas) $first) -}}
{{- end -}}
{{- if and (gt (int .Values.replicas) $first) (not (include "quorate.scales" .)) -}}
{{- fail (printf "replicas is %d, and members.first %d: more pods need scaling.enabled, no zones, and two members at least." (int .Values.replicas) $first) -}}
{{- end -}}
{{- if le (int .Values.stop.gracePeriodSeconds) (int .Values.stop.preStopSeconds) -}}
{{- fail "stop.gracePeriodSeconds must be greater than stop.preStopSeconds." -}}
{{- end -}}
{{- $pods := include "quorate.pods" . | int -}}
{{- if gt (int .Values.updatePartition) $pods -}}
{{- fail (printf "updatePartition is %d, and there are %d pods." (int .Values.updatePartition) $pods) -}}
{{- end -}}
{{- if and .Values.open (or .Values.tls.certManager.enabled .Values.access.principals) -}}
{{- fail "open leaves out tokens and certificates: remove open, or tls.certManager.enabled and access.principals." -}}
{{- end -}}
{{- if and .Values.access.existingSecret .Values.access.principals -}}
{{- fail "access.existingSecret and access.principals both name the access file: set one of them." -}}
{{- end -}}
{{- end }}

{{- define "quorate.checkMembers" -}}
{{- $name := include "quorate.fullname" . -}}
{{- $old := lookup "v1" "ConfigMap" .Release.Namespace $name -}}
{{- if $old -}}
{{- $was := dig "quorate" "cluster" (dict) (dig "data" "application.yml" "" $old | fromYaml) -}}
{{- $is := dig "quorate" "cluster" (dict) (include "quorate.configuration" . | fromYaml) -}}
{{- if and $was.members (ne (toJson $was.members) (toJson $is.members)) -}}
{{- fail (printf "\n\nThe first members of %s cannot be changed. They are fixed since the first start:\n  %s\nThese values give:\n  %s\nKeep members.first, zones and fullnameOverride as they were; replicas may be more. Nothing has been changed." $name (join "\n  " $was.members) (join "\n  " $is.members)) -}}
{{- end -}}
{{- if and $was.name (ne $was.name $is.name) -}}
{{- fail (printf "\n\nThe name of the cluster is %s since the first start and cannot be changed to %s: keep clusterName. Nothing has been changed." $was.name $is.name) -}}
{{- end -}}
{{- else if .Release.IsInstall -}}
{{- include "quorate.checkClaims" . -}}
{{- end -}}
{{- end }}

{{/* Volumes of an installation before this one. Without pods none of them is used: any are taken. */}}
{{- define "quorate.checkClaims" -}}
{{- $name := include "quorate.fullname" . -}}
{{- $members := int .Values.members.first -}}
{{- $pods := int .Values.replicas -}}
{{- $first := lookup "v1" "PersistentVolumeClaim" .Release.Namespace (printf "data-%s-0" $name) -}}
{{- $last := lookup "v1" "PersistentVolumeClaim" .Release.Namespace (printf "data-%s-%d" $name (sub $members 1)) -}}
{{- $more := lookup "v1" "PersistentVolumeClaim" .Release.Namespace (printf "data-%s-%d" $name (max $pods $members)) -}}
{{- if and $first (not $last) -}}
{{- fail (printf "\n\nThere are volumes of an earlier cluster %s, which had fewer than %d members: kubectl get pvc -l app.kubernetes.io/instance=%s\nInstall with members.first and replicas as it had them, or under another name, or delete these claims and with them its data. Nothing has been changed." $name $members .Release.Name) -}}
{{- end -}}
{{- if and $more $pods -}}
{{- fail (printf "\n\nThere are volumes of an earlier cluster %s, which had more than %d members: kubectl get pvc -l app.kubernetes.io/instance=%s\nInstall with members.first and replicas as it had them, or under another name. If the pod %s-%d had left the cluster before (replicas was made less), delete its claim data-%s-%d and those behind it, and no others. Nothing has been changed." $name $pods .Release.Name $name $pods $name $pods) -}}
{{- end -}}
{{- end }}

{{- define "quorate.checkVolumes" -}}
{{- $name := include "quorate.fullname" . -}}
{{- $old := lookup "apps/v1" "StatefulSet" .Release.Namespace $name -}}
{{- if $old -}}
{{- $claim := (first $old.spec.volumeClaimTemplates).spec -}}
{{- $size := $claim.resources.requests.storage -}}
{{- $was := include "quorate.bytes" $size | int64 -}}
{{- $is := include "quorate.bytes" .Values.storage.size | int64 -}}
{{- if lt $is $was -}}
{{- fail (printf "\n\nVolumes cannot be made smaller, from %s to %s: keep storage.size. Nothing has been changed." $size .Values.storage.size) -}}
{{- end -}}
{{- if gt $is $was -}}
{{- fail (printf "\n\nKubernetes takes no change of the size of volumes, from %s to %s, in a StatefulSet that exists. To make them larger:\n  kubectl -n %s patch pvc data-%s-0 -p '{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"%s\"}}}}'      the same for each pod\n  kubectl -n %s delete statefulset %s --cascade=orphan      the pods go on\nand then this upgrade again. Nothing has been changed." $size .Values.storage.size .Release.Namespace $name .Values.storage.size .Release.Namespace $name) -}}
{{- end -}}
{{- $class := dig "storageClassName" "" $claim -}}
{{- if ne $class .Values.storage.className -}}
{{- fail (printf "\n\nThe storage class of volumes that exist cannot be changed, from %q to %q: keep storage.className. Nothing has been changed." $class .Values.storage.className) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* Under another name, an upgrade would begin a second, empty cluster and end the first. */}}
{{- define "quorate.checkName" -}}
{{- if .Release.IsUpgrade -}}
{{- $name := include "quorate.fullname" . -}}
{{- range (lookup "apps/v1" "StatefulSet" .Release.Namespace "").items -}}
{{- $release := dig "metadata" "annotations" "meta.helm.sh/release-name" "" . -}}
{{- if and (eq $release $.Release.Name) (eq (dig "metadata" "labels" "app.kubernetes.io/name" "" .) "quorate") (ne .metadata.name $name) -}}
{{- fail (printf "\n\nThe cluster of this release is called %s and cannot be renamed to %s: keep fullnameOverride. Nothing has been changed." .metadata.name $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}
