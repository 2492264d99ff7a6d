import { connect, type Socket } from 'node:net'

/** A request exactly as written on the wire, including any errors. */
export interface WireRequest {
  method: string
  /** Path and query, as sent. */
  target: string
  headers: [name: string, value: string][]
  body?: Buffer | undefined
  /** Whether the headers don't match the body's length: the connection is closed after the request. */
  isUnframed?: boolean
}

export interface WireReply {
  status: number
  headers: [name: string, value: string][]
  body: Buffer
  /** Number of bytes after the response, such as a second response. */
  extra: number
  ms: number
}

/** Sends requests over keep-alive connections. Returns undefined if the connection ended without a response. */
interface Wire {
  send(request: WireRequest): Promise<WireReply | undefined>
  close(): void
}

/** Longer than any response takes: the server gives up on a request after 30 seconds. */
const PATIENCE_MS = 40_000

export function bytesOf({ method, target, headers, body }: WireRequest): Buffer {
  const head = `${method} ${target} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  const top = Buffer.from(head, 'latin1')
  return body ? Buffer.concat([top, body]) : top
}

export function openWire(port: number): Wire {
  const idle: Socket[] = []
  const all = new Set<Socket>()

  function open(): Socket {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    all.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      all.delete(socket)
      const at = idle.indexOf(socket)
      if (at >= 0) idle.splice(at, 1)
    })
    return socket
  }

  return {
    send(request) {
      const socket = (request.isUnframed ? undefined : idle.pop()) ?? open()
      const began = performance.now()
      return new Promise((resolve) => {
        const parser = replyParser(request.method === 'HEAD')
        let isDone = false
        const timer = setTimeout(() => finish(undefined, true), PATIENCE_MS)
        function finish(reply: Omit<WireReply, 'ms'> | undefined, isOver: boolean) {
          if (isDone) return
          isDone = true
          clearTimeout(timer)
          socket.off('data', onData)
          socket.off('close', onClose)
          if (isOver) socket.destroy()
          else idle.push(socket)
          resolve(reply && { ...reply, ms: performance.now() - began })
        }
        function onData(bytes: Buffer) {
          const reply = parser.take(bytes)
          if (!reply) return
          const closes = headerOf(reply, 'connection')?.toLowerCase() === 'close'
          finish(reply, closes || reply.extra > 0 || request.isUnframed === true)
        }
        const onClose = () => finish(parser.end(), true)
        socket.on('data', onData)
        socket.on('close', onClose)
        if (request.isUnframed) socket.end(bytesOf(request))
        else socket.write(bytesOf(request))
      })
    },
    close() {
      for (const socket of all) socket.destroy()
    },
  }
}

export const headerOf = ({ headers }: Pick<WireReply, 'headers'>, name: string): string | undefined =>
  headers.find(([one]) => one === name)?.[1]

/** Returns a parser of one response. */
function replyParser(isHead: boolean) {
  let bytes: Buffer = Buffer.alloc(0)

  function read(atEnd: boolean): Omit<WireReply, 'ms'> | undefined {
    const end = bytes.indexOf('\r\n\r\n')
    if (end < 0) return undefined
    const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0)
    const rest = bytes.subarray(end + 4)
    if (status >= 100 && status < 200) {
      bytes = rest
      return read(atEnd)
    }
    const headers = lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    })
    const reply = (body: Buffer, used: number) => ({ status, headers, body, extra: rest.length - used })
    if (isHead || status === 204 || status === 304) return reply(Buffer.alloc(0), 0)
    const length = headerOf({ headers }, 'content-length')
    if (length !== undefined)
      return rest.length >= Number(length) ? reply(rest.subarray(0, Number(length)), Number(length)) : undefined
    if (headerOf({ headers }, 'transfer-encoding') === 'chunked') {
      const chunks = dechunked(rest)
      return chunks && reply(chunks.body, chunks.used)
    }
    return atEnd ? reply(rest, rest.length) : undefined
  }

  return {
    take(chunk: Buffer) {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
      return read(false)
    },
    end: () => read(true),
  }
}

function dechunked(bytes: Buffer): { body: Buffer; used: number } | undefined {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at)
    if (line < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    // This isn't a chunk, so the bytes belong to another response.
    if (Number.isNaN(size)) return { body: Buffer.concat(parts), used: at }
    const from = line + 2
    if (bytes.length < from + size + 2) return undefined
    if (size === 0) return { body: Buffer.concat(parts), used: from + 2 }
    parts.push(bytes.subarray(from, from + size))
    at = from + size + 2
  }
}
