{{- define "quorate.configuration" -}}
quorate:
  cluster:
    name: {{ include "quorate.clusterName" . }}
    {{- if .Values.zones }}
    # The zones of the pods, so that copies are in as many as can be. The scheduler puts one pod into each zone, and its
    # volume keeps it there. The first start writes down the members and their zones for good.
    {{- else }}
    # The pods of the first start: the list is the same on all pods, and stays so. Names are resolved again at each attempt to
    # connect.
    {{- end }}
    members:
      {{- include "quorate.members" . | trim | nindent 6 }}
  operations:
    drain-delay: {{ .Values.stop.drainDelay }}
{{- end }}

{{- define "quorate.security" -}}
{{- if .Values.open -}}
quorate:
  security:
    # The network policy alone decides which clients reach a pod.
    open: true
  internode:
    tls: "off"
{{- else -}}
# What the pods read from secrets. A directory each: a file that changes there is read again, and no pod restarts.
quorate:
  security:
    # Who may do what: the secret {{ include "quorate.accessSecret" . }}.
    access: /security/access/access.yml
  internode:
    # Between the pods: the secret {{ include "quorate.peersSecret" . }}.
    ssl-bundle: peers
    tls: {{ eq .Values.tls.peers.mode "off" | ternary "\"off\"" .Values.tls.peers.mode }}
# HTTPS on both ports: the secret {{ include "quorate.clientsSecret" . }}.
server:
  ssl:
    bundle: clients
    client-auth: want
management:
  server:
    ssl:
      bundle: clients
spring:
  ssl:
    bundle:
      pem:
        peers:
          reload-on-update: true
          keystore:
            certificate: /security/peers/tls.crt
            private-key: /security/peers/tls.key
            verify-keys: true
          truststore:
            certificate: /security/peers/ca.crt
        clients:
          reload-on-update: true
          keystore:
            certificate: /security/clients/tls.crt
            private-key: /security/clients/tls.key
            verify-keys: true
          truststore:
            certificate: /security/clients/ca.crt
{{- end }}
{{- end }}
