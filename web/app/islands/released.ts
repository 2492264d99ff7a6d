/**
 * Waits until nothing in `drawn` is pressed. A press whose button is replaced before it ends has no click, so it would do
 * nothing.
 */
export async function released(drawn: HTMLElement): Promise<void> {
  while (drawn.matches(':active')) await new Promise(requestAnimationFrame)
}
