import { useState, useSyncExternalStore } from 'react'

const STORED = 'markets'
/** From here on the chart keeps at least 560 px next to the markets. */
const HAS_ROOM = '(width >= 1320px)'

function subscribe(listener: () => void): () => void {
  const query = matchMedia(HAS_ROOM)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** Whether the markets are next to the chart: where there is room, unless the trader hid them in this browser. */
export function useMarketsOpen(): { hasRoom: boolean; isOpen: boolean; toggle: () => void } {
  const hasRoom = useSyncExternalStore(subscribe, () => matchMedia(HAS_ROOM).matches)
  const [isOn, setOn] = useState(() => localStorage.getItem(STORED) !== 'off')
  return {
    hasRoom,
    isOpen: hasRoom && isOn,
    toggle: () => {
      localStorage.setItem(STORED, isOn ? 'off' : 'on')
      setOn(!isOn)
    },
  }
}
