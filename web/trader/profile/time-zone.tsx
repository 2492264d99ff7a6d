import { browserZone, choose, useScreenChoices } from '#web/api/index.ts'
import { Select } from '#web/ui/index.ts'

/** The zone of the trader's days. Kept with the account once it's chosen. */
export function TimeZone() {
  const choices = useScreenChoices()
  const zone = choices?.time_zone ?? ''
  const zones = Intl.supportedValuesOf('timeZone')
  return (
    <Select
      label="Time zone"
      value={zone}
      disabled={choices === undefined}
      onChange={(event) => choose({ time_zone: event.target.value })}
      hint="All dates and times you see, and the days and hours of history, statistics and earnings. Statements and your limits count days in UTC."
    >
      <option value="">{`Your browser's: ${browserZone()}`}</option>
      {zone !== '' && !zones.includes(zone) && <option>{zone}</option>}
      {['UTC', ...zones.filter((one) => one !== 'UTC')].map((one) => (
        <option key={one}>{one}</option>
      ))}
    </Select>
  )
}
