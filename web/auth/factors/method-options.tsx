import { METHOD_LABELS } from '../sign-up/choices.ts'

/** The options of a select for the kind of identity document. */
export function MethodOptions({ labels = METHOD_LABELS }: { labels?: Record<string, string> }) {
  return (
    <>
      <option value="" disabled>
        Choose
      </option>
      {Object.entries(labels).map(([method, label]) => (
        <option key={method} value={method}>
          {label}
        </option>
      ))}
    </>
  )
}
