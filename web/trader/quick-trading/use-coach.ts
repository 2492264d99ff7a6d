import { useState } from 'react'
import { useScreenChoices } from '#web/api/index.ts'
import type { Coached } from './coach.tsx'

/** Whether the hints of the first minute are shown, and what the current one is about. */
export function useCoach(isFirst: boolean) {
  const choices = useScreenChoices()
  const [of, setOf] = useState<Coached>()
  return { isOn: isFirst && choices !== undefined && choices.coached !== true, of, onMark: setOf }
}
