import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from './fault.ts'

const DOWN_MS = 4_000

/** External services: the mail server, object storage, the card provider. */
export const outside: Fault[] = [
  {
    name: 'outside-down',
    says: 'the mail server, the object storage and the card provider refuse connections for 4 s',
    group: 'outside',
    async inject({ world: { mail, storage, stripe } }) {
      for (const one of [mail, storage]) one.refuse(true)
      stripe.goDown(true)
      await sleep(DOWN_MS)
      for (const one of [mail, storage]) one.refuse(false)
      stripe.goDown(false)
      return 3
    },
  },
  {
    name: 'outside-hangs',
    says: "the mail server and the object storage accept connections for 4 s and don't respond",
    group: 'outside',
    async inject({ world: { mail, storage } }) {
      for (const one of [mail, storage]) one.stall(true)
      await sleep(DOWN_MS)
      for (const one of [mail, storage]) one.stall(false)
      return 2
    },
  },
]
