import { useState } from 'react'
import * as z from 'zod/mini'
import { LENGTH, password, text, walletAddress } from '#contract/fields.ts'
import { bankNumber } from '#contract/money/cashier.ts'
import { call, useRequest } from '#web/api/index.ts'
import { Alert, Button, Choices, Field, toast, useRules } from '#web/ui/index.ts'
import styles from './address-book.module.css'
import { takeBook } from './book.ts'

type Kind = 'wallet' | 'bank'
type OwnerKind = 'own' | 'other'
type KeeperKind = 'self' | 'service'

/** A destination that is typed already. */
type KnownDestination = { wallet: string } | { bank_name: string; account_number: string; routing_number: string }

/** Saves a destination that was typed elsewhere, with whose it is and who keeps it. */
export function SaveDestination({ known, onAdded }: { known: KnownDestination; onAdded: () => void }) {
  return <EntryForm kind={'wallet' in known ? 'wallet' : 'bank'} known={known} onAdded={onAdded} />
}

/** Adds a wallet or a bank account, with whose it is and who keeps it. */
export function AddEntry({ onAdded }: { onAdded: () => void }) {
  const [kind, setKind] = useState<Kind>('wallet')
  return (
    <div className={styles.form}>
      <Choices
        label="What"
        value={kind}
        onChange={setKind}
        options={[
          { value: 'wallet', label: 'Crypto wallet' },
          { value: 'bank', label: 'Bank account' },
        ]}
      />
      <EntryForm key={kind} kind={kind} onAdded={onAdded} />
    </div>
  )
}

const name = text(LENGTH.name)
const person = text(LENGTH.bank)

/** The rules of the fields that are shown. */
const rulesOf = (kind: Kind, owner: OwnerKind, keeper: KeeperKind) =>
  z.object({
    name,
    ...(kind === 'wallet'
      ? { wallet: walletAddress }
      : { bank_name: person, account_number: bankNumber, routing_number: bankNumber }),
    ...(owner === 'other' ? { beneficiary: person } : {}),
    ...(kind === 'wallet' && keeper === 'service' ? { hosted_by: person } : {}),
    password,
  })

const EMPTY = {
  name: '',
  wallet: '',
  bank_name: '',
  account_number: '',
  routing_number: '',
  beneficiary: '',
  hosted_by: '',
  password: '',
}

type FieldOf = (name: keyof typeof EMPTY) => object

/** The fields that say where the money goes. */
function Destination({ kind, field }: { kind: Kind; field: FieldOf }) {
  return kind === 'wallet' ? (
    <Field
      label="Wallet"
      hint="A Bitcoin or Ethereum address."
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      {...field('wallet')}
    />
  ) : (
    <>
      <Field label="Bank name" autoComplete="off" {...field('bank_name')} />
      <Field label="Account number" autoComplete="off" inputMode="numeric" {...field('account_number')} />
      <Field label="Routing number" autoComplete="off" inputMode="numeric" {...field('routing_number')} />
    </>
  )
}

function Owner({ owner, onOwner, field }: { owner: OwnerKind; onOwner: (owner: OwnerKind) => void; field: FieldOf }) {
  return (
    <>
      <Choices
        label="Whose is it?"
        value={owner}
        onChange={onOwner}
        options={[
          { value: 'own', label: 'Mine' },
          { value: 'other', label: "Someone else's" },
        ]}
      />
      {owner === 'other' && (
        <Field label="Beneficiary" hint="Their full name." autoComplete="off" {...field('beneficiary')} />
      )}
    </>
  )
}

function Keeper({
  keeper,
  onKeeper,
  field,
}: {
  keeper: KeeperKind
  onKeeper: (keeper: KeeperKind) => void
  field: FieldOf
}) {
  return (
    <>
      <Choices
        label="Who keeps the wallet?"
        value={keeper}
        onChange={onKeeper}
        options={[
          { value: 'self', label: 'Its owner' },
          { value: 'service', label: 'An exchange or service' },
        ]}
      />
      {keeper === 'service' && (
        <Field
          label="Service"
          hint="For example the name of the exchange."
          autoComplete="off"
          {...field('hosted_by')}
        />
      )}
    </>
  )
}

interface EntryFormProps {
  kind: Kind
  known?: KnownDestination
  onAdded: () => void
}

function EntryForm({ kind, known, onAdded }: EntryFormProps) {
  const [owner, setOwner] = useState<OwnerKind>('own')
  const [keeper, setKeeper] = useState<KeeperKind>('self')
  const rules = rulesOf(kind, owner, keeper) as unknown as z.ZodMiniObject<
    Record<keyof typeof EMPTY, z.ZodMiniString<string>>
  >
  const { field, submit, refuse } = useRules(rules, { ...EMPTY, ...known })
  const { loading, error, run } = useRequest(refuse)
  const add = submit(({ wallet, bank_name, account_number, routing_number, hosted_by, beneficiary, ...rest }) =>
    run(async () => {
      const common = { name: rest.name, password: rest.password, beneficiary: owner === 'other' ? beneficiary : null }
      if (kind === 'wallet')
        await call('POST /withdraw/addresses', {
          body: { ...common, wallet, hosted_by: keeper === 'service' ? hosted_by : null },
        })
      else
        await call('POST /withdraw/addresses/bank', { body: { ...common, bank_name, account_number, routing_number } })
      takeBook()
      toast.success('Added to your address book.')
      onAdded()
    }),
  )
  return (
    <form className={styles.form} noValidate onSubmit={add}>
      <Alert>{error}</Alert>
      <Field label="Name" hint="What you call it." autoComplete="off" {...field('name')} />
      {!known && <Destination kind={kind} field={field} />}
      <Owner owner={owner} onOwner={setOwner} field={field} />
      {kind === 'wallet' && <Keeper keeper={keeper} onKeeper={setKeeper} field={field} />}
      <Field label="Password" type="password" autoComplete="current-password" {...field('password')} />
      <p className={styles.detail}>
        The law asks us to know whose a destination is. Only you and our finance team see this.
      </p>
      <Button type="submit" size="large" wide loading={loading}>
        {known ? 'Save' : 'Add'}
      </Button>
    </form>
  )
}
