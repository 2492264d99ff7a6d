import { useQuery } from '@tanstack/react-query'
import { Download, Scale, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import type { SolvencyProof, SolvencyStatement } from '#contract/prices/proof.ts'
import type { SolvencyStep } from '#packages/verify/solvency.js'
import { call, problemOf, queryOf, useRequest } from '#web/api/index.ts'
import { Steps } from '#web/receipts/index.ts'
import {
  Alert,
  Button,
  Card,
  cx,
  EmptyState,
  Fact,
  Facts,
  formatDateTime,
  formatUsd,
  ListError,
  SkeletonRows,
  saveFile,
} from '#web/ui/index.ts'
import { Assets } from './assets.tsx'
import { balancesOf } from './levels.ts'
import { Paths } from './path.tsx'
import styles from './solvency.module.css'

/** The trader's balances in the newest statement, the path from them to its total, and the check. */
export function Solvency() {
  const query = useQuery(queryOf('GET /proof/solvency/own'))
  const problem = problemOf(query)
  const data = query.data?.data
  if (!data) return problem ? <ListError {...problem} /> : <SkeletonRows rows={5} label="Loading the statement" />
  const { statement, proof } = data
  if (!statement)
    return (
      <Card>
        <EmptyState icon={<Scale />} title="No statement yet">
          The first one follows the next midnight (UTC). Come back tomorrow.
        </EmptyState>
      </Card>
    )
  return (
    <div className={styles.columns}>
      <Card title="The statement" className={cx(styles.card, styles.statement)}>
        <SolvencyFacts statement={statement} />
      </Card>
      <div className={styles.own}>
        {proof ? (
          <Own proof={proof} />
        ) : (
          <Card title="Your balances">
            <p>
              At the time of this statement we owed you nothing, so you aren’t part of it. Demo money isn’t counted. If
              you had money here then, contact support.
            </p>
          </Card>
        )}
      </div>
      <div className={styles.assets}>
        <Assets />
      </div>
    </div>
  )
}

function SolvencyFacts({ statement }: { statement: SolvencyStatement }) {
  return (
    <>
      <p className={styles.total}>
        <strong>{formatUsd(Number(statement.total))}</strong>
        <span>
          is what we owe to{' '}
          {statement.accounts === 1 ? '1 trader' : `${statement.accounts.toLocaleString('en-US')} traders`}
        </span>
      </p>
      <Facts>
        {statement.equity !== undefined && (
          <Fact name="Our own money besides">{formatUsd(Number(statement.equity))}</Fact>
        )}
        <Fact name="Statement">{statement.number}</Fact>
        <Fact name="Time">{formatDateTime(statement.time)}</Fact>
        <Fact name="Root">
          <code className={styles.hash}>{statement.root}</code>
        </Fact>
        <Fact name="Signed by">
          <code className={styles.hash}>{statement.key}</code>
        </Fact>
      </Facts>
      <p className={styles.note}>
        Signed after each midnight (UTC) and published at <a href="/verify#solvency">Check a receipt</a>. If you keep
        the root, you can tell later whether it was replaced.
      </p>
    </>
  )
}

function Balances({ proof }: { proof: SolvencyProof }) {
  const { available, inTrades, inWithdrawals, total } = balancesOf(proof.entries)
  return (
    <Card title="Your balances" className={styles.card}>
      <Facts>
        <Fact name="Account">{proof.account}</Fact>
        <Fact name="Available">{formatUsd(available / 100)}</Fact>
        <Fact name="In open trades">{formatUsd(inTrades / 100)}</Fact>
        <Fact name="In withdrawals">{formatUsd(inWithdrawals / 100)}</Fact>
        <Fact name="In all">{formatUsd(total / 100)}</Fact>
      </Facts>
      <p className={styles.note}>
        Compare them with your balances at that time. Your <b>Statement</b> lists every movement.
      </p>
    </Card>
  )
}

function Own({ proof }: { proof: SolvencyProof }) {
  const [checked, setChecked] = useState<{ ok: boolean; steps: SolvencyStep[]; titles: Record<string, string> }>()
  const { loading, error, run } = useRequest()
  const text = JSON.stringify(proof)
  const check = () =>
    run(async () => {
      if (!globalThis.crypto?.subtle)
        throw new Error('This browser checks signatures on secure addresses (https) only.')
      const { SOLVENCY_STEPS, verifySolvency } = await import('#packages/verify/solvency.js')
      const keys = await call('GET /proof/keys').catch(() => undefined)
      const result = await verifySolvency(text, { published: keys?.data })
      setChecked({ ...result, titles: SOLVENCY_STEPS })
    })
  return (
    <>
      <Balances proof={proof} />
      <Card title="From your balances to the total" className={styles.card}>
        <Paths proof={proof} />
        <div className={styles.buttons}>
          <Button loading={loading} onClick={() => void check()}>
            <ShieldCheck aria-hidden />
            Check in your browser
          </Button>
          <Button
            look="secondary"
            onClick={() =>
              saveFile(new Blob([text], { type: 'application/json' }), `solvency-${proof.statement.number}.json`)
            }
          >
            <Download aria-hidden />
            Download proof
          </Button>
        </div>
        <Alert>{error}</Alert>
        <div role="status">
          {checked && (
            <p className={checked.ok ? styles.genuine : styles.failed}>
              {checked.ok
                ? 'Your balances are part of the signed total.'
                : 'A step failed. Download the proof and contact support.'}
            </p>
          )}
        </div>
        {checked && <Steps steps={checked.steps} titles={checked.titles} />}
        <p className={styles.note}>
          The check sends nothing. The file checks offline too, with the program described at{' '}
          <a href="/verify">Check a receipt</a>. It contains your e-mail address and balances: keep it to yourself.
        </p>
      </Card>
    </>
  )
}
