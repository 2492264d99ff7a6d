import { create } from 'zustand'
import type { Trade } from '#contract/trading/trading.ts'

/** What this browser does when a trade is filled or ends, besides showing it. Both are off until they are turned on. */
interface Signs {
  sound: boolean
  vibration: boolean
}

const STORED = 'signs'

function read(): Signs {
  // The build renders pages without a browser.
  const words = typeof window === 'undefined' ? [] : (localStorage.getItem(STORED) ?? '').split(' ')
  return { sound: words.includes('sound'), vibration: words.includes('vibration') }
}

export const useSigns = create<Signs>(read)

export const canVibrate = (): boolean => 'vibrate' in navigator

/** Turns sound or vibration on or off in this browser, with an example. */
export function setSign(sign: keyof Signs, isOn: boolean): void {
  useSigns.setState({ [sign]: isOn })
  const { sound, vibration } = useSigns.getState()
  localStorage.setItem(STORED, [sound && 'sound', vibration && 'vibration'].filter(Boolean).join(' '))
  if (isOn && sign === 'sound') play('won')
  if (isOn && sign === 'vibration') navigator.vibrate(VIBRATION.won)
}

/** The trades whose fill was felt: more is reported of an open trade. */
const filled = new Set<string>()

/** Plays what is turned on for a trade that was filled, won or lost. */
export function signOf({ trade_id, status, start_price, sale }: Trade): void {
  if (status === 'Pending' && start_price !== undefined && sale === undefined && !filled.has(trade_id)) {
    filled.add(trade_id)
    if (useSigns.getState().vibration && canVibrate()) navigator.vibrate(VIBRATION.filled)
  }
  if (status !== 'Won' && status !== 'Lost') return
  const result = status === 'Won' ? 'won' : 'lost'
  const { sound, vibration } = useSigns.getState()
  if (sound) play(result)
  if (vibration && canVibrate()) navigator.vibrate(VIBRATION[result])
}

/** Milliseconds on, off, on. */
const VIBRATION = { filled: [20], won: [40, 60, 40], lost: [80] }
/** Two short notes up, or one low one, in hertz. */
const NOTES = { won: [659, 880], lost: [330] }
const NOTE_SECONDS = 0.12

let audio: AudioContext | undefined

function play(result: 'won' | 'lost'): void {
  audio ??= new AudioContext()
  const begin = audio.currentTime + 0.02
  for (const [n, hertz] of NOTES[result].entries()) {
    const tone = new OscillatorNode(audio, { frequency: hertz })
    const from = begin + n * NOTE_SECONDS
    const loudness = new GainNode(audio, { gain: 0 })
    loudness.gain.setValueAtTime(0, from)
    loudness.gain.linearRampToValueAtTime(0.12, from + 0.01)
    loudness.gain.exponentialRampToValueAtTime(0.001, from + NOTE_SECONDS)
    tone.connect(loudness).connect(audio.destination)
    tone.start(from)
    tone.stop(from + NOTE_SECONDS)
  }
}
