export { AlertDialog } from './alert-dialog.tsx'
export { armAgain, deleteAlert, saveAlert, useAlerts } from './use-alerts.ts'
export { alertWords } from './words.ts'
