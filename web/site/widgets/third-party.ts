import { part } from '../part.ts'

/** How long to wait for a sign of life from a third party's widget. */
const PATIENCE_MS = 25_000
/** Messages that its frame sends when it is ready: TradingView's, and the one for other permitted providers. */
const LIVES: readonly unknown[] = ['tv-widget-load', 'widget-load']
const HAS_NOTHING: readonly unknown[] = ['tv-widget-no-data', 'widget-no-data']

/** Maps our widgets to the third party's, with their configuration. */
const ITS: Record<string, { name: string; config: (theme: string) => object }> = {
  overview: {
    name: 'market-overview',
    config: (colorTheme) => ({
      colorTheme,
      dateRange: '1D',
      width: '100%',
      height: '100%',
      tabs: [
        {
          title: 'Markets',
          symbols: ['BITSTAMP:BTCUSD', 'BITSTAMP:ETHUSD', 'FX_IDC:EURUSD', 'FOREXCOM:SPXUSD', 'FOREXCOM:NSXUSD'].map(
            (s) => ({ s }),
          ),
        },
      ],
    }),
  },
  chart: {
    name: 'advanced-chart',
    config: (theme) => ({ symbol: 'BITSTAMP:BTCUSD', interval: '15', theme, width: '100%', height: '100%' }),
  },
  heat: {
    name: 'crypto-coins-heatmap',
    config: (colorTheme) => ({
      dataSource: 'Crypto',
      blockSize: 'market_cap_calc',
      blockColor: '24h_close_change|5',
      colorTheme,
      width: '100%',
      height: '100%',
    }),
  },
}

/**
 * Loads a third party's widget over ours. Ours stays until the other has reported that it is drawn, in a message from
 * its own frame: an unreachable host also fires `load`.
 */
export async function loadThirdParty(widget: HTMLElement, button: HTMLButtonElement): Promise<void> {
  const { origin = '', name = '', widget: kind = '' } = widget.dataset
  const status = part(widget, 'status')
  button.hidden = true
  status.textContent = `Loading ${name}. Until then, this is our own.`
  const lives = await show(widget, addressOf(kind, origin), name)
  status.textContent = lives
    ? `Provided by ${name}. It may differ from our prices and doesn't affect trades.`
    : `We can't reach ${name} right now. This is our own.`
  button.hidden = lives
}

/**
 * Returns the widget's address: charts have one each below their host; the list of payouts has the one set by the
 * operator.
 */
function addressOf(kind: string, origin: string): string {
  const its = ITS[kind]
  if (!its) return origin
  const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  return `${origin}/embed-widget/${its.name}/?locale=en#${encodeURIComponent(JSON.stringify(its.config(theme)))}`
}

function show(widget: HTMLElement, address: string, name: string): Promise<boolean> {
  const { origin } = new URL(address)
  const frame = document.createElement('iframe')
  frame.title = `${name}, ${widget.dataset.widget}`
  frame.dataset.waits = ''
  frame.tabIndex = -1
  frame.referrerPolicy = 'no-referrer'
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-popups')
  frame.src = address
  return new Promise((resolve) => {
    const end = (lives: boolean) => {
      removeEventListener('message', onMessage)
      clearTimeout(timer)
      if (lives) {
        delete frame.dataset.waits
        frame.removeAttribute('tabindex')
      } else frame.remove()
      resolve(lives)
    }
    const onMessage = ({ origin: from, source, data }: MessageEvent) => {
      if (from !== origin || source !== frame.contentWindow) return
      const said = nameOf(data)
      if (LIVES.includes(said)) end(true)
      if (HAS_NOTHING.includes(said)) end(false)
    }
    const timer = setTimeout(() => end(false), PATIENCE_MS)
    addEventListener('message', onMessage)
    part(widget, 'box').append(frame)
  })
}

/** Messages are objects, sometimes serialised as text. */
function nameOf(data: unknown): unknown {
  try {
    return ((typeof data === 'string' ? JSON.parse(data) : data) as { name?: unknown } | null)?.name
  } catch {
    return undefined
  }
}
