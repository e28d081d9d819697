{{/* The prefix of all names: at most 40 characters, so that the longest suffix stays below 63. */}}
{{- define "mc.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What stays the same for the life of a release: {root, component}. */}}
{{- define "mc.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Labels of every object: {root, component}. */}}
{{- define "mc.labels" -}}
{{ include "mc.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* metadata of a namespaced object: {root, component, name}. */}}
{{- define "mc.metadata" -}}
name: {{ .name | quote }}
namespace: {{ .root.Release.Namespace | quote }}
labels:
  {{- include "mc.labels" . | nindent 2 }}
{{- end -}}

{{/* Reference of an image: {registry, image, default}. */}}
{{- define "mc.image" -}}
{{- $name := .image.repository -}}
{{- with .registry }}{{ $name = printf "%s/%s" (trimSuffix "/" .) $name }}{{ end -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $name .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (.image.tag | default .default) -}}
{{- end -}}
{{- end -}}

{{/* The programs that are installed, as JSON. */}}
{{- define "mc.components" -}}
{{- .Values.webhook.enabled | ternary (list "controller" "webhook") (list "controller") | toJson -}}
{{- end -}}

{{/* The namespaces whose MiniClusters are checked at admission. */}}
{{- define "mc.namespaceSelector" -}}
{{- $expressions := list -}}
{{- with .Values.namespaces -}}
{{- $expressions = append $expressions (dict "key" "kubernetes.io/metadata.name" "operator" "In" "values" .) -}}
{{- end -}}
{{- with .Values.webhook -}}
{{- with .excludedNamespaces -}}
{{- $expressions = append $expressions (dict "key" "kubernetes.io/metadata.name" "operator" "NotIn" "values" .) -}}
{{- end -}}
{{- $expressions = concat $expressions (.namespaceSelector.matchExpressions | default list) -}}
{{- $selector := omit .namespaceSelector "matchExpressions" -}}
{{- with $expressions -}}
{{- $selector = set $selector "matchExpressions" . -}}
{{- end -}}
{{- toYaml $selector -}}
{{- end -}}
{{- end -}}

{{- define "mc.serviceAccount" -}}
{{- $own := index .root.Values .component "serviceAccount" "name" -}}
{{- $own | default (printf "%s-%s" (include "mc.fullname" .root) .component) -}}
{{- end -}}

{{/* Name of the webhook's Service and of both webhook configurations. */}}
{{- define "mc.webhook" -}}
{{- printf "%s-webhook" (include "mc.fullname" .) -}}
{{- end -}}

{{/* The Secret that the webhook mounts. */}}
{{- define "mc.certificateSecret" -}}
{{- $given := .Values.webhook.certificate.secretName -}}
{{- if eq .Values.webhook.certificate.mode "provided" -}}
{{- required "webhook.certificate.secretName is required with mode provided" $given -}}
{{- else -}}
{{- $given | default (printf "%s-webhook-certificate" (include "mc.fullname" .)) -}}
{{- end -}}
{{- end -}}

{{/* What both Deployments' pods share, beside containers and volumes: {root, component}. */}}
{{- define "mc.podSpec" -}}
{{- $values := index .root.Values .component -}}
serviceAccountName: {{ include "mc.serviceAccount" . | quote }}
enableServiceLinks: false
terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
{{- with .root.Values.podSecurityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if $values.topologySpread }}
topologySpreadConstraints:
- maxSkew: 1
  topologyKey: kubernetes.io/hostname
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "mc.selector" . | nindent 6 }}
  matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end -}}

{{/* What both programs' containers share, beside arguments, ports and mounts: {root, component}. */}}
{{- define "mc.container" -}}
{{- $values := index .root.Values .component -}}
name: {{ .component }}
image: {{ include "mc.image" (dict "registry" .root.Values.image.registry "image" $values.image "default" .root.Chart.AppVersion) | quote }}
{{- with .root.Values.image.pullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
{{- with $values.extraEnv }}
env:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.securityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
livenessProbe:
  httpGet: {path: /healthz, port: probes}
  {{- with $values.livenessProbe }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
readinessProbe:
  httpGet: {path: /readyz, port: probes}
  {{- with $values.readinessProbe }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* The arguments of both programs about probes and metrics: {root, component}. */}}
{{- define "mc.observabilityArguments" -}}
{{- $values := index .root.Values .component -}}
- --metrics-bind-address=:{{ $values.metricsPort }}
- --metrics-secure={{ .root.Values.metrics.secure }}
- --health-probe-bind-address=:{{ $values.probePort }}
{{- end -}}

{{/* And their ports: {root, component}. */}}
{{- define "mc.observabilityPorts" -}}
{{- $values := index .root.Values .component -}}
- {name: metrics, containerPort: {{ $values.metricsPort }}, protocol: TCP}
- {name: probes, containerPort: {{ $values.probePort }}, protocol: TCP}
{{- end -}}

{{/* metadata of a pod template: {root, component}. */}}
{{- define "mc.podMetadata" -}}
{{- $values := index .root.Values .component -}}
labels:
  {{- include "mc.selector" . | nindent 2 }}
  {{- with .root.Values.commonLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- with $values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with $values.podAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* How one program is scraped, as ServiceMonitor and PodMonitor share it, beside token and
     relabelings: {root, component, values}. */}}
{{- define "mc.scrape" -}}
port: metrics
path: /metrics
# MiniClusters are counted by their own namespace, which must not be replaced by the target's.
honorLabels: true
{{- with .values.interval }}
interval: {{ . }}
{{- end }}
{{- with .values.scrapeTimeout }}
scrapeTimeout: {{ . }}
{{- end }}
{{- if .root.Values.metrics.secure }}
scheme: https
tlsConfig:
  {{- include "mc.scrapeTls" . | nindent 2 }}
{{- else }}
scheme: http
{{- end }}
{{- with .values.metricRelabelings }}
metricRelabelings:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* tlsConfig of one program: {root, component, values}. */}}
{{- define "mc.scrapeTls" -}}
{{- $given := index .values.tlsConfig .component -}}
{{- if $given -}}
{{- toYaml $given -}}
{{- else if eq .component "controller" -}}
# Its certificate is self-signed and made at each start: it hides the token, and proves nothing.
insecureSkipVerify: true
{{- else -}}
serverName: {{ include "mc.webhook" .root }}.{{ .root.Release.Namespace }}.svc
{{- if ne .root.Values.webhook.certificate.mode "provided" }}
ca:
  secret: {name: {{ include "mc.certificateSecret" .root | quote }}, key: ca.crt}
{{- end }}
{{- end -}}
{{- end -}}
