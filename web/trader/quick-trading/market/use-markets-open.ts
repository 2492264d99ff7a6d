import { useState } from 'react'
import { useMedia } from '#web/ui/index.ts'

const STORED = 'markets'
/** From here on the chart keeps at least 560 px next to the markets. */
const HAS_ROOM = '(width >= 1320px)'

/** Whether the markets are next to the chart: where there is room, unless the trader hid them in this browser. */
export function useMarketsOpen(): { hasRoom: boolean; isOpen: boolean; toggle: () => void } {
  const hasRoom = useMedia(HAS_ROOM)
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
