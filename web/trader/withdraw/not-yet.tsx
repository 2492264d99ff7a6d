import { Alert } from '#web/ui/index.ts'

/** In a form whose request would be refused: says so before anything is typed. */
export function NotYet() {
  return (
    <Alert kind="warning">
      Something is still missing before money can leave. What it is stands on the page behind this.
    </Alert>
  )
}
