import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** A WebSocket, or a stream of server-sent events. */
interface Line {
  close(): void
  terminate(): void
}

/** A connection to a fake exchange. */
export interface Session {
  /** Markets subscribed to on the exchange's main channel. */
  markets: Set<string>
  /** Markets subscribed to on a separate channel for order books, if there is one, with the best prices sent last. */
  books: Map<string, Best | undefined>
  wantsHeartbeats: boolean
  /** The next message number, for exchanges that number their messages. */
  numbered: number
  send(text: string): void
}

interface Candle {
  startMs: number
  open: string
  high: string
  low: string
  close: string
}

/** The state of an exchange that its protocol reads. */
export interface Book {
  markets: readonly string[]
  /** Markets that are listed but not traded at the moment. */
  halted: readonly string[]
  candles: readonly Candle[]
  /** What each level of an order book is worth, in the quote currency. */
  levelValue: number
  /** The exchange's clock. */
  now(): number
  /** Returns the next id for trades and the like. */
  nextId(): number
}

interface Best {
  bid: string
  ask: string
}

/** The price of a trade, or the best bid and ask of an order book. */
export type Price = string | Best

/** An exchange's wire protocol. Prices are sent exactly as given, valid or not. */
export interface Protocol {
  /** Responds to a request for the list of markets or for candles; undefined means not found. */
  get(url: URL, book: Book): unknown
  /** Returns the markets that a request for server-sent events subscribes to; undefined for any other request. */
  stream?(url: URL, book: Book): Iterable<string> | undefined
  /** Greets a new connection. */
  greet?(session: Session, book: Book): void
  /** Handles a client's message that isn't JSON. */
  receiveText?(text: string, session: Session): void
  /** Handles a client's message. */
  receive?(message: Record<string, unknown>, session: Session, book: Book): void
  /** Returns the message for a price; undefined if the session isn't subscribed to its kind. */
  price(market: string, price: Price, atMs: number, session: Session, book: Book): string | undefined
  /** Returns the heartbeat that is sent every second; undefined if the session didn't ask for heartbeats. */
  heartbeat?(session: Session, book: Book): string | undefined
}

export interface FakeExchange {
  address: string
  /** Sends a price to every subscriber of the market. `atMs` replaces the exchange's current time. */
  push(market: string, price: Price, atMs?: number): void
  /** Sends bytes as they are to every connection. */
  send(text: string): void
  /** Closes all connections, as exchanges do after 24 hours. */
  disconnect(): void
  /** Cuts all connections without closing them properly. */
  cut(): void
  /** Keeps connections open but sends nothing. With `pings`, still answers WebSocket pings. */
  silence(answers?: 'pings'): void
  /** Starts or stops rejecting requests and connections. */
  refuse(refusing: boolean): void
  /** Replaces the listed markets; subscriptions to all others end. */
  list(markets: readonly string[]): void
  /** Halts trading in these markets; they stay listed. */
  halt(markets: readonly string[]): void
  candles(candles: readonly Candle[]): void
  /** Sets how far the exchange's clock is ahead. */
  skew(byMs: number): void
  /** The number of connections since the start, and the open ones. */
  readonly connections: number
  readonly sessions: readonly Session[]
  /** The paths that were requested. */
  readonly requests: readonly string[]
  stop(): Promise<void>
}

const HEARTBEAT_MS = 1_000
const LEVEL_VALUE = 5_000_000

/** Returns the size of a level of an order book; 1 if its price is none. */
export function sizeAt(price: string, { levelValue }: Pick<Book, 'levelValue'>): string {
  const size = levelValue / Number(price)
  return size > 1e-8 && size < 1e20 ? size.toFixed(8) : '1'
}

/** Returns levels of a book's side: the best price and those behind it. Text that isn't a price gets no further levels. */
export function levelsFrom(best: string, away: 1 | -1, count: number, book: Book): [string, string][] {
  const behind = Array.from({ length: count - 1 }, (_, n) => (Number(best) * (1 + away * (n + 1) * 0.0001)).toFixed(8))
  return [best, ...(Number(best) > 0 && Number(best) < 1e15 ? behind : [])].map((price) => [price, sizeAt(price, book)])
}

/** Starts a fake exchange on this machine that speaks a real exchange's protocol over real sockets. */
export async function startExchange(
  protocol: Protocol,
  options: { markets: readonly string[]; heartbeatMs?: number; levelValue?: number },
): Promise<FakeExchange> {
  const sessions = new Map<Line, Session>()
  const sockets = new Set<Socket>()
  const requests: string[] = []
  let connections = 0
  let ids = 0
  let skewMs = 0
  let silent = false
  let pongs = true
  let refusing = false
  const book = {
    markets: options.markets,
    halted: [] as readonly string[],
    candles: [] as readonly Candle[],
    levelValue: options.levelValue ?? LEVEL_VALUE,
    now: () => Date.now() + skewMs,
    nextId: () => ++ids,
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    requests.push(url.pathname)
    if (!refusing && sendEvents(url, response)) return
    const body = refusing ? undefined : protocol.get(url, book)
    response.writeHead(refusing ? 503 : body === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? { error: 'none' }))
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
  })
  const webSockets = new WebSocketServer({ noServer: true, autoPong: false })
  server.on('upgrade', (request, socket, head) => {
    if (refusing) socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n')
    else webSockets.handleUpgrade(request, socket, head, (webSocket) => accept(webSocket))
  })

  function open(line: Line, send: (text: string) => void): Session {
    connections++
    const session: Session = {
      markets: new Set(),
      books: new Map(),
      wantsHeartbeats: false,
      numbered: 0,
      send(text) {
        if (!silent) send(text)
      },
    }
    sessions.set(line, session)
    return session
  }

  function sendEvents(url: URL, response: ServerResponse): boolean {
    const markets = protocol.stream?.(url, book)
    if (!markets) return false
    const line = { close: () => void response.end(), terminate: () => void response.destroy() }
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    response.on('close', () => sessions.delete(line))
    const session = open(line, (text) => void response.write(`data:${text}\n\n`))
    for (const market of markets) session.markets.add(market)
    return true
  }

  function accept(webSocket: WebSocket): void {
    const session = open(webSocket, (text) => webSocket.send(text))
    webSocket.on('close', () => sessions.delete(webSocket))
    webSocket.on('error', () => undefined)
    webSocket.on('ping', () => {
      if (pongs) webSocket.pong()
    })
    webSocket.on('message', (data) => {
      const text = String(data)
      if (text.startsWith('{')) protocol.receive?.(JSON.parse(text), session, book)
      else protocol.receiveText?.(text, session)
    })
    protocol.greet?.(session, book)
  }

  const heartbeat = setInterval(() => {
    for (const session of sessions.values()) {
      const text = protocol.heartbeat?.(session, book)
      if (text !== undefined) session.send(text)
    }
  }, options.heartbeatMs ?? HEARTBEAT_MS)

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  return {
    address: `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`,
    push(market, price, atMs = book.now()) {
      for (const session of sessions.values()) {
        const wants = session.markets.has(market) || session.books.has(market)
        const text = wants ? protocol.price(market, price, atMs, session, book) : undefined
        if (text !== undefined) session.send(text)
      }
    },
    send(text) {
      for (const session of sessions.values()) session.send(text)
    },
    disconnect() {
      for (const line of sessions.keys()) line.close()
    },
    cut() {
      for (const line of sessions.keys()) line.terminate()
    },
    silence(answers) {
      silent = true
      pongs = answers === 'pings'
    },
    refuse(is) {
      refusing = is
    },
    list(markets) {
      book.markets = markets
      for (const session of sessions.values())
        for (const subscribed of [session.markets, session.books])
          for (const market of subscribed.keys()) if (!markets.includes(market)) subscribed.delete(market)
    },
    halt(markets) {
      book.halted = markets
    },
    candles(candles) {
      book.candles = candles
    },
    skew(byMs) {
      skewMs = byMs
    },
    get connections() {
      return connections
    },
    get sessions() {
      return [...sessions.values()]
    },
    requests,
    async stop() {
      clearInterval(heartbeat)
      for (const line of sessions.keys()) line.terminate()
      webSockets.close()
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Returns the candles that a request asks for, at most as many as an exchange would send. */
export const candlesFrom = (book: Book, fromMs: number, limit: number): readonly Candle[] =>
  book.candles.filter(({ startMs }) => startMs >= fromMs).slice(0, limit)
