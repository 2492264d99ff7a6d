/** What nodes tell each other about themselves: whether one has started, stopped, or is still there. */
export interface Hello {
  /** Which questions it answers; none once it stops. */
  answers: string[]
  /** It has just started and wants to know the others. */
  isNew: boolean
}

/** The other nodes that were heard of lately. */
export interface Peers {
  heard(from: string, hello: Hello): void
  /** Returns the nodes that answer questions about this. */
  answering(about: string): Set<string>
  count(): number
}

/** A node that has been silent for this long is gone. */
const GONE_AFTER_MS = 25_000

export function createPeers(): Peers {
  const peers = new Map<string, { seenAt: number; answers: readonly string[] }>()

  function forgetGone(): void {
    for (const [from, { seenAt }] of peers) if (performance.now() - seenAt > GONE_AFTER_MS) peers.delete(from)
  }

  return {
    heard(from, { answers }) {
      peers.set(from, { seenAt: performance.now(), answers })
    },
    answering(about) {
      forgetGone()
      return new Set([...peers].filter(([, { answers }]) => answers.includes(about)).map(([from]) => from))
    },
    count() {
      forgetGone()
      return peers.size
    },
  }
}
