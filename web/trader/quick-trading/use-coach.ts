import { useState } from 'react'
import { choose, useScreenChoices } from '#web/api/index.ts'
import type { Coached } from './coach.tsx'

/** Whether the hints of the first minute are shown, and what the current one is about. */
export function useCoach(isFirst: boolean) {
  const choices = useScreenChoices()
  const [of, setOf] = useState<Coached>()
  const [isAsked, setAsked] = useState(false)
  const isKnown = isFirst && choices !== undefined
  const isOn = isKnown && (isAsked || choices.coached !== true)
  return {
    isOn,
    of,
    onMark: setOf,
    onEnd: () => {
      setAsked(false)
      choose({ coached: true })
    },
    /** Shows them again, once they were closed. */
    onShow: isKnown && !isOn ? () => setAsked(true) : undefined,
  }
}
