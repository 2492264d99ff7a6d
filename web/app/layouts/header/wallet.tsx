import { BadgeCheck, ChevronDown, FileDown, MailWarning } from 'lucide-react'
import { useState } from 'react'
import { useIsGuest, useMode, useUser } from '#web/api/index.ts'
import { openStatement } from '#web/trader/statement/index.ts'
import { Badge, Button, formatPlan, formatUsd, Popover } from '#web/ui/index.ts'
import { SendLink } from '../account/send-link.tsx'
import { ThemeToggle } from './theme-toggle.tsx'
import styles from './wallet.module.css'

/** On a narrow screen a balance from here on drops its cents, which the wallet shows. */
const LONG = 100_000

/** The account in use: a filled chip with its name and balance, which opens the account's details. */
export function Wallet() {
  const user = useUser()
  const isGuest = useIsGuest()
  const isDemo = useMode() === 'demo'
  const balance = isDemo ? user.demo_balance : user.balance
  const [dollars, cents] = formatUsd(balance).split('.')
  const [open, setOpen] = useState(false)
  return (
    <Popover
      button={
        <>
          <span className={styles.kind}>{isDemo ? 'Demo' : 'Live'}</span>
          <span className={styles.amount}>
            {dollars}
            <span className={styles.cents}>.{cents}</span>
          </span>
          <ChevronDown aria-hidden />
          <span className="visually-hidden">, open the wallet</span>
        </>
      }
      buttonClass={styles.trigger}
      data-long={balance >= LONG || undefined}
      title="Wallet"
      isTitleHidden
      className={styles.popup}
      open={open}
      onOpenChange={setOpen}
    >
      <WalletDetails />
      <div className={styles.foot}>
        <ThemeToggle />
        {!isGuest && (
          <Button
            look="quiet"
            onClick={() => {
              setOpen(false)
              openStatement()
            }}
          >
            <FileDown aria-hidden />
            Statement
          </Button>
        )}
      </div>
    </Popover>
  )
}

/**
 * E-mail and whether it is verified, plan, trading type and both balances; used in the dropdown and in the slide menu.
 */
export function WalletDetails() {
  const user = useUser()
  const isDemo = useMode() === 'demo'
  return (
    <div className={styles.details}>
      <div>
        <p className={styles.email}>{user.email || 'Guest account'}</p>
        <p className={styles.verified}>
          {user.email_verified ? (
            <Badge tone="up">
              <BadgeCheck aria-hidden />
              Verified
            </Badge>
          ) : (
            <>
              {user.email && (
                <Badge tone="warn">
                  <MailWarning aria-hidden />
                  Not verified
                </Badge>
              )}
              <SendLink />
            </>
          )}
        </p>
      </div>
      <dl className={styles.facts}>
        <dt>Trading plan</dt>
        <dd>{formatPlan(user.trading_plan)}</dd>
        <dt>Trading type</dt>
        <dd>{isDemo ? 'Demo' : 'Live'}</dd>
        <dt>USD balance</dt>
        <dd className="tabular">{formatUsd(user.balance)}</dd>
        <dt>USD demo balance</dt>
        <dd className="tabular">{formatUsd(user.demo_balance)}</dd>
      </dl>
    </div>
  )
}
