/** How long a third party may take to show that it lives. */
const PATIENCE_MS = 25_000

/** Which of its widgets stands for which of ours, and what it is told. */
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
 * Loads the third party's widget over ours, which stands until the other has said itself that it is drawn, in a message
 * from its own frame: an unreachable host fires `load` too.
 */
export async function loadThirdParty(widget: HTMLElement, button: HTMLButtonElement): Promise<void> {
  const { origin = '', widget: kind = '' } = widget.dataset
  const its = ITS[kind]
  if (!its) return
  const status = widget.querySelector('[data-status]')!
  button.hidden = true
  status.textContent = 'TradingView is being loaded. These are our prices.'
  const lives = await show(widget, origin, its)
  status.textContent = lives
    ? 'A picture by TradingView: its prices can differ from ours, and decide nothing.'
    : 'TradingView cannot be reached at the moment. These are our prices.'
  button.hidden = lives
}

function show(widget: HTMLElement, origin: string, { name, config }: (typeof ITS)[string]): Promise<boolean> {
  const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  const frame = document.createElement('iframe')
  frame.title = `TradingView ${name.replaceAll('-', ' ')}`
  frame.dataset.waits = ''
  frame.tabIndex = -1
  frame.referrerPolicy = 'no-referrer'
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-popups')
  frame.src = `${origin}/embed-widget/${name}/?locale=en#${encodeURIComponent(JSON.stringify(config(theme)))}`
  return new Promise((resolve) => {
    const end = (lives: boolean) => {
      removeEventListener('message', hear)
      clearTimeout(timer)
      if (lives) {
        delete frame.dataset.waits
        frame.removeAttribute('tabindex')
      } else frame.remove()
      resolve(lives)
    }
    const hear = ({ origin: from, source, data }: MessageEvent) => {
      if (from !== origin || source !== frame.contentWindow) return
      const said = nameOf(data)
      if (said === 'tv-widget-load') end(true)
      if (said === 'tv-widget-no-data') end(false)
    }
    const timer = setTimeout(() => end(false), PATIENCE_MS)
    addEventListener('message', hear)
    widget.querySelector('[data-box]')!.append(frame)
  })
}

/** It sends objects, at times as text. */
function nameOf(data: unknown): unknown {
  try {
    return ((typeof data === 'string' ? JSON.parse(data) : data) as { name?: unknown } | null)?.name
  } catch {
    return undefined
  }
}
