import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { World } from '../world.ts'
import type { Fault } from './fault.ts'

const MANY = 300
const SLOW = 60
const OPEN_MS = 5_000

/** Misbehaving clients. */
export const sockets: Fault[] = [
  {
    name: 'many-sockets',
    says: `${MANY} sockets at once, opened and dropped three times, a third of them sending nonsense`,
    group: 'socket',
    async inject({ world }) {
      for (let wave = 0; wave < 3; wave++) {
        const all = Array.from({ length: MANY }, () => watcher(world))
        await sleep(OPEN_MS / 3)
        for (const [n, socket] of all.entries())
          if (n % 3 === 0 && socket.readyState === WebSocket.OPEN) socket.send('{"op":')
        await sleep(200)
        for (const socket of all) socket.terminate()
      }
      return MANY * 3
    },
  },
  {
    name: 'slow-sockets',
    says: `${SLOW} sockets that stop reading, and ${SLOW} requests that never end`,
    group: 'socket',
    async inject({ world }) {
      const slow = Array.from({ length: SLOW }, () => watcher(world))
      await sleep(500)
      for (const socket of slow) socket.pause()
      const half = Array.from({ length: SLOW }, (_, n) => unfinished(world, n))
      await sleep(OPEN_MS)
      for (const socket of slow) socket.terminate()
      for (const socket of half) socket.destroy()
      return SLOW * 2
    },
  },
]

function watcher({ server }: World): WebSocket {
  const socket = new WebSocket(`${server().origin.replace('http', 'ws')}/api/stream`)
  socket.on('error', () => undefined)
  socket.on('open', () => socket.send('{"op":"subscribe","symbols":["BTCUSDT","ETHUSDT"]}'))
  return socket
}

/** Sends a request whose headers or body stop in the middle. */
function unfinished({ server }: World, n: number): Socket {
  const socket = connect(Number(new URL(server().origin).port), '127.0.0.1')
  socket.on('error', () => undefined)
  const head = 'POST /api/auth/login HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n'
  socket.write(n % 2 ? head : `${head}content-length: 100\r\n\r\n{"email":`)
  return socket
}
