import type { ReactNode } from 'react'
import { cx } from '#web/ui/index.ts'
import phoneDark320 from './pictures/phone-dark-320.avif?url'
import phoneDark320Webp from './pictures/phone-dark-320.webp?url'
import phoneDark480 from './pictures/phone-dark-480.avif?url'
import phoneDark480Webp from './pictures/phone-dark-480.webp?url'
import phoneDark640 from './pictures/phone-dark-640.avif?url'
import phoneDark640Webp from './pictures/phone-dark-640.webp?url'
import phoneLight320 from './pictures/phone-light-320.avif?url'
import phoneLight320Webp from './pictures/phone-light-320.webp?url'
import phoneLight480 from './pictures/phone-light-480.avif?url'
import phoneLight480Webp from './pictures/phone-light-480.webp?url'
import phoneLight640 from './pictures/phone-light-640.avif?url'
import phoneLight640Webp from './pictures/phone-light-640.webp?url'
import tradingDark800 from './pictures/trading-dark-800.avif?url'
import tradingDark800Webp from './pictures/trading-dark-800.webp?url'
import tradingDark1600 from './pictures/trading-dark-1600.avif?url'
import tradingDark1600Webp from './pictures/trading-dark-1600.webp?url'
import tradingLight800 from './pictures/trading-light-800.avif?url'
import tradingLight800Webp from './pictures/trading-light-800.webp?url'
import tradingLight1600 from './pictures/trading-light-1600.avif?url'
import tradingLight1600Webp from './pictures/trading-light-1600.webp?url'
import styles from './screen-picture.module.css'

interface Shot {
  width: number
  height: number
  alt: string
  sizes: string
  sets: { dark: { avif: string; webp: string }; light: { avif: string; webp: string } }
  /** For browsers that support neither format's srcset. */
  src: string
}

/** Screenshots of the running product on simulated prices, taken by scripts/web/site-pictures.ts. */
const SHOTS = {
  trading: {
    width: 1440,
    height: 900,
    alt: 'The trading screen: a BTC/USDT candlestick chart with the entry line of an open trade, the Buy and Sell buttons, and the list of trades.',
    sizes: '(width <= 1216px) calc(100vw - 2rem), 72rem',
    sets: {
      dark: {
        avif: `${tradingDark800} 800w, ${tradingDark1600} 1600w`,
        webp: `${tradingDark800Webp} 800w, ${tradingDark1600Webp} 1600w`,
      },
      light: {
        avif: `${tradingLight800} 800w, ${tradingLight1600} 1600w`,
        webp: `${tradingLight800Webp} 800w, ${tradingLight1600Webp} 1600w`,
      },
    },
    src: tradingLight800Webp,
  },
  phone: {
    width: 390,
    height: 844,
    alt: 'The same screen on a phone: the chart, the Buy and Sell buttons within reach, and an open trade with its countdown.',
    // Slightly less than the drawn size, so that a phone with a pixel ratio of 1.75 gets the 480 px picture.
    sizes: '17rem',
    sets: {
      dark: {
        avif: `${phoneDark320} 320w, ${phoneDark480} 480w, ${phoneDark640} 640w`,
        webp: `${phoneDark320Webp} 320w, ${phoneDark480Webp} 480w, ${phoneDark640Webp} 640w`,
      },
      light: {
        avif: `${phoneLight320} 320w, ${phoneLight480} 480w, ${phoneLight640} 640w`,
        webp: `${phoneLight320Webp} 320w, ${phoneLight480Webp} 480w, ${phoneLight640Webp} 640w`,
      },
    },
    src: phoneLight320Webp,
  },
} as const satisfies Record<string, Shot>

const FORMATS = ['avif', 'webp'] as const
const DARK = '(prefers-color-scheme: dark)'

interface ScreenPictureProps {
  of: keyof typeof SHOTS
}

/** A screenshot of the product, in the page's light or dark theme. */
export function ScreenPicture({ of }: ScreenPictureProps) {
  const { width, height, alt, src } = SHOTS[of]
  return (
    <picture className={cx(styles.picture, styles[of])}>
      {sourcesOf(of)}
      <img src={src} alt={alt} width={width} height={height} decoding="async" loading="lazy" />
    </picture>
  )
}

/** The `source` elements of a picture. */
function sourcesOf(of: keyof typeof SHOTS): ReactNode {
  const { width, height, sizes, sets } = SHOTS[of]
  return FORMATS.flatMap((format) => {
    const shared = { type: `image/${format}`, sizes, width, height }
    return [
      <source key={`${format}-dark`} {...shared} media={DARK} srcSet={sets.dark[format]} />,
      <source key={format} {...shared} srcSet={sets.light[format]} />,
    ]
  })
}
