{{- define "cleartick.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "cleartick.labels" -}}
app.kubernetes.io/name: cleartick
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "cleartick.selector" -}}
app.kubernetes.io/name: cleartick
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- /* The text of a setting. Helm reads numbers as floats and would print 1000000 as 1e+06. */}}
{{- define "cleartick.text" -}}
{{- if kindIs "float64" . }}{{ toJson . | quote }}{{ else }}{{ . | quote }}{{ end }}
{{- end }}

{{- define "cleartick.settings" -}}
{{- range $name, $value := .Values.settings }}
{{ $name }}: {{ include "cleartick.text" $value }}
{{- end }}
MIGRATIONS: wait
METRICS_PORT: "9464"
METRICS_HOST: 0.0.0.0
DATABASE_APP_URL_FILE: /run/secrets/cleartick/database-app-url
REDIS_URL_FILE: /run/secrets/cleartick/redis-url
FILES_URL_FILE: /run/secrets/cleartick/files-url
FILES_KEY_FILE: /run/secrets/cleartick/files-key
SMTP_URL_FILE: /run/secrets/cleartick/smtp-url
METRICS_TOKEN_FILE: /run/secrets/cleartick/metrics-token
{{- end }}

{{- define "cleartick.placement" -}}
imagePullSecrets:
  {{- toYaml .Values.image.pullSecrets | nindent 2 }}
nodeSelector:
  {{- toYaml .Values.nodeSelector | nindent 2 }}
tolerations:
  {{- toYaml .Values.tolerations | nindent 2 }}
affinity:
  {{- toYaml .Values.affinity | nindent 2 }}
{{- end }}

{{- /* Settings from keys of Secrets. */}}
{{- define "cleartick.secretSettings" -}}
{{- range $name, $from := . }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef: { name: {{ .secret }}, key: {{ .key }} }
{{- end }}
{{- end }}

{{- define "cleartick.podSecurity" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "cleartick.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: data, mountPath: /var/lib/cleartick }
  - { name: secrets, mountPath: /run/secrets/cleartick, readOnly: true }
{{- end }}

{{- define "cleartick.volumes" -}}
- name: tmp
  emptyDir: { sizeLimit: {{ .Values.volumes.tmp }} }
- name: data
  emptyDir: { sizeLimit: {{ .Values.volumes.data }} }
- name: secrets
  secret:
    secretName: {{ .Values.existingSecret }}
    defaultMode: 288
    items:
      - { key: database-app-url, path: database-app-url }
      - { key: redis-url, path: redis-url }
      - { key: files-url, path: files-url }
      - { key: files-key, path: files-key }
      - { key: smtp-url, path: smtp-url }
      - { key: metrics-token, path: metrics-token }
{{- end }}

{{- /* What a job of the operator gets: the owner's login, and where backups are once they are made. */}}
{{- define "cleartick.owner" -}}
envFrom:
  - configMapRef: { name: {{ .Release.Name }} }
env:
  # The key of receipts is with the engines.
  - { name: ROLES, value: web }
  - { name: DATABASE_URL_FILE, value: /run/secrets/owner/database-url }
  {{- if .Values.jobs.backup.enabled }}
  - { name: BACKUP_URL_FILE, value: /run/secrets/owner/backup-url }
  - { name: BACKUP_KEY_FILE, value: /run/secrets/owner/backup-key }
  - { name: BACKUP_DATABASE_URL_FILE, value: /run/secrets/owner/backup-database-url }
  {{- end }}
  {{- include "cleartick.secretSettings" .Values.secretSettings | nindent 2 }}
{{ include "cleartick.containerSecurity" . }}
  - { name: owner, mountPath: /run/secrets/owner, readOnly: true }
resources:
  {{- toYaml .Values.jobs.resources | nindent 2 }}
{{- end }}

{{- define "cleartick.ownerVolumes" -}}
{{ include "cleartick.volumes" . }}
- name: owner
  secret:
    secretName: {{ .Values.existingSecret }}
    defaultMode: 288
    items:
      - { key: database-url, path: database-url }
      {{- if .Values.jobs.backup.enabled }}
      - { key: backup-url, path: backup-url }
      - { key: backup-key, path: backup-key }
      - { key: backup-database-url, path: backup-database-url }
      {{- end }}
{{- end }}
