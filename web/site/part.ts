import { must } from '#kernel/must.ts'

/** Returns the first element that has the attribute `data-<name>`. Throws where the page has none. */
export const part = <E extends Element = HTMLElement>(root: ParentNode, name: string): E =>
  must(root.querySelector<E>(`[data-${name}]`))

/** Writes the text of a part. */
export function write(root: ParentNode, name: string, text: string): void {
  part(root, name).textContent = text
}
