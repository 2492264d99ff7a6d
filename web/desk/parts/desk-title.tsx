import { figure } from '#web/ui/index.ts'

/** The operator's name for the desk. */
export const deskName = (): string => `${figure('brand')} desk`

/** The browser title of a page of the desk. */
export function DeskTitle({ children }: { children: string }) {
  return <title>{`${children} – ${deskName()}`}</title>
}
