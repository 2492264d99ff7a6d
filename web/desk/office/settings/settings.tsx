import { useQuery } from '@tanstack/react-query'
import { PAGES } from '#contract/desk/terms.ts'
import { problemOf } from '#web/client/index.ts'
import { ListError, Page, SkeletonRows } from '#web/ui/index.ts'
import { OFTEN_MS, queryOf } from '../../api.ts'
import { DeskTitle } from '../../parts/desk-title.tsx'
import { useMay } from '../../session.ts'
import { LossLimits } from './loss-limits.tsx'
import { MoneySettings } from './money-settings.tsx'
import { SettingsChange } from './settings-change.tsx'
import { SymbolLimits } from './symbol-limits.tsx'
import { WaitingKeys } from './waiting-keys.tsx'

/** The settings of the installation. Every change needs a second admin. */
export default function Settings() {
  const settings = useQuery(queryOf('GET /desk/settings', undefined, OFTEN_MS))
  const may = useMay(PAGES.settings.acts)
  const problem = problemOf(settings)
  const data = settings.data?.data
  return (
    <Page title="Settings" intro="One admin proposes a change. It takes effect once another admin approves it.">
      <DeskTitle>Settings</DeskTitle>
      {problem && <ListError {...problem} />}
      {settings.isPending && !problem && <SkeletonRows rows={8} label="Loading the settings" />}
      <WaitingKeys />
      {data?.waiting.map((change) => (
        <SettingsChange key={change.id} change={change} may={may} />
      ))}
      {data && (
        <MoneySettings
          key={JSON.stringify({ ...data, waiting: [], symbol_limits: [], loss_limits: [] })}
          settings={data}
          may={may}
        />
      )}
      {data && <SymbolLimits settings={data} may={may} />}
      {data && <LossLimits settings={data} may={may} />}
    </Page>
  )
}
