{{/*
Helm's own part: labels of the chart, a roll of the pods when a ConfigMap changes, the default tag of the image, and the
namespace where it has to stand. tools/manifests renders k8s/ without it: there Kustomize does the same in its own way.
*/}}
{{- define "quorate.releaseLabels" -}}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "quorate.podAnnotations" -}}
checksum/configuration: {{ cat (include "quorate.configuration" .) (include "quorate.security" .) (toYaml .Values.config) | sha256sum }}
{{- end }}

{{- define "quorate.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "quorate.namespacedNames" -}}
{{- $name := include "quorate.fullname" . -}}
{{- range $suffix := list "" ".svc" ".svc.cluster.local" }}
- {{ $name }}.{{ $.Release.Namespace }}{{ $suffix }}
- "*.{{ $name }}-peers.{{ $.Release.Namespace }}{{ $suffix }}"
{{- end }}
{{- end }}
