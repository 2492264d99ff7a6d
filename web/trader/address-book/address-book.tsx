import { useQuery } from '@tanstack/react-query'
import { BookUser } from 'lucide-react'
import { useState } from 'react'
import * as z from 'zod/mini'
import { password } from '#contract/fields.ts'
import type { AddressBook as Book, PayoutAddress } from '#contract/money/address-book.ts'
import { call, problemOf, useRequest } from '#web/api/index.ts'
import {
  Alert,
  Badge,
  Button,
  EmptyState,
  Field,
  formatDateTime,
  ListError,
  Modal,
  SkeletonRows,
  toast,
  useRules,
} from '#web/ui/index.ts'
import { AddEntry } from './add-entry.tsx'
import styles from './address-book.module.css'
import { BOOK, takeBook } from './book.ts'

/** The trader's address book for withdrawals, and whether they withdraw to it only. */
export function AddressBook() {
  const book = useQuery({ ...BOOK, staleTime: 0 })
  const [open, setOpen] = useState<'add' | 'only'>()
  const problem = problemOf(book)
  if (!book.data)
    return problem ? <ListError {...problem} /> : <SkeletonRows rows={3} label="Loading your address book" />
  const { addresses, ...only } = book.data.data
  const close = () => setOpen(undefined)
  const add = (
    <Button look="secondary" onClick={() => setOpen('add')}>
      Add an address
    </Button>
  )
  return (
    <div className={styles.book}>
      {addresses.length === 0 ? (
        <EmptyState icon={<BookUser />} title="No addresses yet" actions={add}>
          Save the wallets and bank accounts that you withdraw to, so that you don't have to compare them each time.
        </EmptyState>
      ) : (
        <>
          <ul className={styles.list}>
            {addresses.map((address) => (
              <Entry key={address.id} address={address} waits={only.only} />
            ))}
          </ul>
          <div>{add}</div>
        </>
      )}
      <Only {...only} onChange={() => setOpen('only')} />
      <Modal open={open === 'add'} onClose={close} title="Add an address" sheet>
        <AddEntry onAdded={close} />
      </Modal>
      <Modal open={open === 'only'} onClose={close} title="Withdraw to my address book only">
        <SetOnly on={isTurnedOn(only)} onDone={close} />
      </Modal>
    </div>
  )
}

type OnlyState = Omit<Book, 'addresses'>

const isTurnedOn = ({ only, off_at }: OnlyState) => only && off_at === null

function Entry({ address, waits }: { address: PayoutAddress; waits: boolean }) {
  const { loading, run } = useRequest(toast.error)
  const { id, name, currency, wallet, beneficiary, hosted_by, usable_at } = address
  const isNew = waits && Date.parse(usable_at) > Date.now()
  const remove = () =>
    void run(async () => {
      toast.success((await call('DELETE /withdraw/addresses/:id', { params: { id } })).message)
      takeBook()
    })
  return (
    <li className={styles.entry}>
      <div className={styles.words}>
        <p className={styles.name}>
          {name} <Badge tone="accent">{currency ?? 'Bank'}</Badge>
        </p>
        <p className={styles.wallet}>{wallet}</p>
        <p className={styles.detail}>
          {beneficiary === null ? 'Yours' : `Belongs to ${beneficiary}`}
          {currency !== null && (hosted_by === null ? ', your own wallet software' : `, at ${hosted_by}`)}
        </p>
        {isNew && <p className={styles.detail}>Can be used from {formatDateTime(usable_at)}.</p>}
      </div>
      <Button look="quiet" size="small" disabled={loading} aria-label={`Remove ${name}`} onClick={remove}>
        Remove
      </Button>
    </li>
  )
}

function Only({ onChange, ...state }: OnlyState & { onChange: () => void }) {
  const on = isTurnedOn(state)
  return (
    <section className={styles.only} aria-label="Withdraw to my address book only">
      <p className={styles.name}>Withdraw to my address book only {on && <Badge tone="up">On</Badge>}</p>
      <p className={styles.detail}>
        {state.off_at === null
          ? 'Anyone who gets into your account then has to wait 24 hours before a new address can be used. Turning it off takes 24 hours too.'
          : `It's turned off: from ${formatDateTime(state.off_at)}, withdrawals can go to any address.`}
      </p>
      <div>
        <Button look="secondary" size="small" onClick={onChange}>
          {on ? 'Turn off' : 'Turn on'}
        </Button>
      </div>
    </section>
  )
}

const Rules = z.object({ password })

/** Turns the setting on or off, with the password. */
function SetOnly({ on, onDone }: { on: boolean; onDone: () => void }) {
  const { field, submit, refuse } = useRules(Rules, { password: '' })
  const { loading, error, run } = useRequest(refuse)
  const send = submit((form) =>
    run(async () => {
      takeBook((await call('POST /withdraw/addresses/only', { body: { ...form, only: !on } })).data)
      onDone()
    }),
  )
  return (
    <form className={styles.form} noValidate onSubmit={send}>
      <p className={styles.detail}>
        {on
          ? 'It stays on for another 24 hours, and we e-mail you about it.'
          : 'From now on, withdrawals go only to entries of your book that are at least 24 hours old.'}
      </p>
      <Alert>{error}</Alert>
      <Field label="Password" type="password" autoComplete="current-password" autoFocus {...field('password')} />
      <Button type="submit" size="large" wide loading={loading}>
        {on ? 'Turn off in 24 hours' : 'Turn on now'}
      </Button>
    </form>
  )
}
