/** Whether an element takes typed keys as its content, so that single-key shortcuts must leave them to it. */
export const takesText = (element: Element | null): boolean =>
  element instanceof HTMLTextAreaElement ||
  element instanceof HTMLSelectElement ||
  (element instanceof HTMLElement && element.isContentEditable) ||
  (element instanceof HTMLInputElement && !['radio', 'checkbox', 'button'].includes(element.type))
