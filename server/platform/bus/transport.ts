/** Carries texts between nodes. It delivers to every node, the sender included, in the sender's order. */
export interface Transport {
  /** `receive` gets each text; `gap` is called when some may have been missed. */
  start(receive: (text: string) => void, gap: () => void): Promise<void>
  /** Resolves once the texts are on their way; rejects if they are not. */
  send(texts: readonly string[]): Promise<void>
  /** When the connection was lost (`performance.now()`); undefined while there is one. */
  lostSince(): number | undefined
  stop(): Promise<void>
}
