import { useSearchParams } from 'react-router'
import type { BUSINESS_DAYS } from '#contract/desk/terms.ts'
import { Choices } from '#web/ui/index.ts'

/** The periods of the figures of the business, in UTC days. */
export const PERIODS = [
  { value: '1', label: 'Today', name: 'Today (UTC)' },
  { value: '7', label: '7 d', name: '7 days' },
  { value: '30', label: '30 d', name: '30 days' },
] as const satisfies readonly { value: (typeof BUSINESS_DAYS)[number]; label: string; name: string }[]

/** A period in the address, so that a figure's link opens its rows; nothing is any time. */
export function useDays(param: string): [string, (days: string) => void] {
  const [params, setParams] = useSearchParams()
  const days = params.get(param) ?? ''
  const set = (value: string) =>
    setParams(
      (before) => {
        before.delete(param)
        if (value !== '') before.set(param, value)
        return before
      },
      { replace: true },
    )
  return [PERIODS.some(({ value }) => value === days) ? days : '', set]
}

interface InDaysProps {
  label: string
  value: string
  onChange: (days: string) => void
}

/** Chooses a period of UTC days. */
export const InDays = ({ label, value, onChange }: InDaysProps) => (
  <Choices
    label={label}
    quiet
    value={value}
    onChange={onChange}
    options={[{ value: '', label: 'Any time' }, ...PERIODS]}
  />
)
