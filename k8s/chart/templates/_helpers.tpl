{{/* The name of everything in this release. Longest suffix: that of the CronJob, whose name has at most 52 characters. */}}
{{- define "quorate.fullname" -}}
{{- $name := .Values.fullnameOverride -}}
{{- if not $name -}}
{{- $name = contains "quorate" .Release.Name | ternary .Release.Name (printf "%s-quorate" .Release.Name) -}}
{{- end -}}
{{- if gt (len $name) 45 -}}
{{- fail (printf "The name %s has %d characters, and at most 45 fit: set fullnameOverride." $name (len $name)) -}}
{{- end -}}
{{- $name -}}
{{- end }}

{{/* Part of selectors, which can never be changed: these two and no others. */}}
{{- define "quorate.selectorLabels" -}}
app.kubernetes.io/name: quorate
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "quorate.labels" -}}
{{ include "quorate.selectorLabels" . }}
{{- with include "quorate.releaseLabels" . }}
{{ . }}
{{- end }}
{{- end }}

{{- define "quorate.backupSelectorLabels" -}}
app.kubernetes.io/name: quorate-backup
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "quorate.backupLabels" -}}
{{ include "quorate.backupSelectorLabels" . }}
{{- with include "quorate.releaseLabels" . }}
{{ . }}
{{- end }}
{{- end }}

{{- define "quorate.testLabels" -}}
app.kubernetes.io/name: quorate-test
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "quorate.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "quorate.fullname" .) -}}
{{- end }}

{{- define "quorate.clusterName" -}}
{{- .Values.clusterName | default (include "quorate.fullname" .) -}}
{{- end }}

{{- define "quorate.accessSecret" -}}
{{- .Values.access.existingSecret | default (printf "%s-access" (include "quorate.fullname" .)) -}}
{{- end }}

{{- define "quorate.peersSecret" -}}
{{- .Values.tls.peers.existingSecret | default (printf "%s-peers-tls" (include "quorate.fullname" .)) -}}
{{- end }}

{{- define "quorate.clientsSecret" -}}
{{- .Values.tls.clients.existingSecret | default (printf "%s-clients-tls" (include "quorate.fullname" .)) -}}
{{- end }}

{{- define "quorate.backupSecret" -}}
{{- .Values.backup.existingSecret | default (printf "%s-backup" (include "quorate.fullname" .)) -}}
{{- end }}

{{- define "quorate.prometheusSecret" -}}
{{- .Values.metrics.serviceMonitor.existingSecret | default (printf "%s-prometheus" (include "quorate.fullname" .)) -}}
{{- end }}

{{- define "quorate.testSecret" -}}
{{- .Values.test.existingSecret | default (include "quorate.prometheusSecret" .) -}}
{{- end }}

{{/* Of both HTTP ports. */}}
{{- define "quorate.scheme" -}}
{{- and (not .Values.open) .Values.tls.clients.enabled | ternary "https" "http" -}}
{{- end }}

{{- define "quorate.priorityClass" -}}
{{- if .Values.priorityClass.create -}}
{{- .Values.priorityClass.name | default (include "quorate.fullname" .) -}}
{{- else -}}
{{- .Values.priorityClass.name -}}
{{- end -}}
{{- end }}

{{/* Whether the number of pods may be changed while the cluster serves: not for a node alone, and zones have a name for each pod of the list. */}}
{{- define "quorate.scales" -}}
{{- if and .Values.scaling.enabled (gt (int .Values.members.first) 1) (not .Values.zones) -}}yes{{- end -}}
{{- end }}

{{/* The number of pods; while there are to be none, that of the members of the first start. */}}
{{- define "quorate.pods" -}}
{{- int .Values.replicas | default (int .Values.members.first) -}}
{{- end }}

{{/* The list of members, one a line, in the order of the pods. */}}
{{- define "quorate.members" -}}
{{- $name := include "quorate.fullname" . -}}
{{- range $pod := until (int .Values.members.first) }}
- {{ $name }}-{{ $pod }}@{{ $name }}-{{ $pod }}.{{ $name }}-peers:7100
{{- if $.Values.zones }}/{{ index $.Values.zones $pod }}{{ end }}
{{- end }}
{{- end }}

{{/* Of the nodes, and of all other pods. */}}
{{- define "quorate.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
{{- end }}

{{- define "quorate.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop:
    - ALL
{{- end }}

{{/* Names are resolved there: part of the egress of each network policy. */}}
{{- define "quorate.namesEgress" -}}
- to:
    {{- toYaml .Values.networkPolicy.dns.to | nindent 4 }}
  ports:
    - port: {{ .Values.networkPolicy.dns.port }}
      protocol: UDP
    - port: {{ .Values.networkPolicy.dns.port }}
      protocol: TCP
{{- end }}

{{/* A size as bytes. */}}
{{- define "quorate.bytes" -}}
{{- $number := regexFind "^[0-9]+" . | int64 -}}
{{- $factor := 1 -}}
{{- range $unit := list "Ki" "Mi" "Gi" "Ti" "Pi" -}}
{{- $factor = mul $factor 1024 -}}
{{- if hasSuffix $unit $ -}}
{{- $number = mul $number $factor -}}
{{- end -}}
{{- end -}}
{{- $number -}}
{{- end }}
