import { useQuery } from '@tanstack/react-query'
import type { Mode } from '#contract/terms.ts'
import type { Automation, AutomationBody } from '#contract/trading/automatic.ts'
import {
  call,
  messageOf,
  problemOf,
  queryClient,
  queryOf,
  useMode,
  useRequest,
  useTimeZone,
  useUserMessages,
} from '#web/api/index.ts'
import { BacktestPanel } from '#web/backtest/index.ts'
import { Alert, Button, cx, ListError, SkeletonRows, toast, useRules } from '#web/ui/index.ts'
import styles from './automatic.module.css'
import { AutomationStatus, Measured } from './automation-status.tsx'
import { Orders } from './orders.tsx'
import { settingsRules, toForm, toSettings } from './rules.ts'
import { SettingsFields } from './settings-form.tsx'
import { strategyNames } from './strategy-names.ts'

const readAgain = () => {
  void queryClient.invalidateQueries({ queryKey: ['GET /automatic'] })
  void queryClient.invalidateQueries({ queryKey: ['GET /automatic/orders'] })
}

/** The automatic trades of the account of the current mode. */
export function Automatic() {
  const mode = useMode()
  useUserMessages((message) => {
    if (message.op === 'automatic' || (message.op === 'trade' && message.data.signal !== undefined)) readAgain()
  })
  const query = useQuery(queryOf('GET /automatic', { query: { mode } }))
  const problem = problemOf(query)
  if (problem && !query.data) return <ListError {...problem} message="We couldn't load your automatic trades." />
  if (!query.data) return <SkeletonRows rows={8} label="Loading your automatic trades" />
  return <Loaded key={mode} mode={mode} automation={query.data.data} />
}

function Loaded({ mode, automation }: { mode: Mode; automation: Automation }) {
  const zone = useTimeZone()
  const { form, loading, error, save, formSettings, show } = useSettings(mode, automation, zone)
  const isRunning = automation.state === 'Running'
  const { isDirty } = form.formState
  const statistics = useQuery(queryOf('GET /public/signals/statistics', { query: { period: 'all' } }))
  const own = useQuery(queryOf('GET /strategies'))
  const instruments = useQuery(queryOf('GET /prices/instruments')).data?.data ?? []
  const traded = instruments.filter((one) => one.trading_type !== null)

  return (
    <div className={styles.columns}>
      <AutomationStatus automation={automation} isDirty={isDirty} onSave={save} onChanged={show} />
      <form
        className={cx(styles.card, styles.side)}
        noValidate
        aria-label="Settings of your automatic trades"
        onSubmit={(event) => {
          event.preventDefault()
          void save().then((saved) => saved && toast.success('Settings saved.'))
        }}
      >
        <h2 className={styles.heading}>Settings</h2>
        {isRunning && <p className={styles.note}>Pause or stop automatic trades to change these settings.</p>}
        <SettingsFields
          form={form}
          strategies={strategyNames(statistics.data?.data, own.data?.data)}
          symbols={traded.map((one) => one.symbol)}
          zones={[...new Set([zone, automation.settings.time_zone, 'UTC'])]}
          disabled={isRunning}
        />
        <Measured texts={automation.measured} />
        <p className={styles.note}>
          One trade at a time, whichever strategy it follows: signals that arrive while a trade is open are skipped. So
          every limit counts what really happened. <a href="/signals">See every signal and its outcome.</a>
        </p>
        {statistics.error && <Alert>{messageOf(statistics.error)}</Alert>}
        <Alert>{error}</Alert>
        {!isRunning && (
          <Button type="submit" look="secondary" wide loading={loading} disabled={!isDirty}>
            Save settings
          </Button>
        )}
      </form>
      <Orders mode={mode} />
      <BacktestPanel
        note="Your strategies and settings on stored prices."
        symbols={followedSymbols(form.watch('strategies'), traded.length)}
        test={async (range) => {
          const settings = await formSettings()
          if (!settings) throw new Error('Correct the settings first.')
          return (await call('POST /automatic/backtest', { body: { ...settings, ...range } })).data
        }}
      />
    </div>
  )
}

/** The form of the settings, and how they are saved. */
function useSettings(mode: Mode, automation: Automation, zone: string) {
  const form = useRules(
    settingsRules,
    // Before they are saved, the hours are those of the trader's days.
    toForm(automation.saved ? automation.settings : { ...automation.settings, time_zone: zone }),
  )
  const { loading, error, run } = useRequest(form.refuse)

  const show = (changed: Automation) =>
    queryClient.setQueryData(queryOf('GET /automatic', { query: { mode } }).queryKey, { status: true, data: changed })

  /** Saves the settings; false if a field is wrong or the server refuses. */
  const save = (): Promise<boolean> =>
    new Promise((resolve) => {
      void form.handleSubmit(
        async (values) => {
          await run(async () => {
            const { data } = await call('PUT /automatic', { body: { mode, ...toSettings(values) } })
            form.reset(toForm(data.settings))
            show(data)
            resolve(true)
          })
          resolve(false)
        },
        () => resolve(false),
      )()
    })

  /** The settings as they are in the form, saved or not. */
  const formSettings = () =>
    new Promise<Omit<AutomationBody, 'mode'> | undefined>((resolve) => {
      void form.handleSubmit(
        (values) => resolve(toSettings(values)),
        () => resolve(undefined),
      )()
    })

  return { form, loading, error, save, formSettings, show }
}

/** Number of symbols that a back-test has to read, once for each strategy. */
const followedSymbols = (strategies: readonly { symbols: readonly string[] }[], all: number): number =>
  strategies.reduce((sum, { symbols }) => sum + (symbols.length || all), 0)
