import { useState } from 'react'
import { useLocation } from 'react-router'
import * as z from 'zod/mini'
import { COUNTRIES } from '#contract/account/countries.ts'
import { LENGTH, MESSAGE, NAME_MIN, oneOf, pastDay, personName, phoneOrEmpty, place, text } from '#contract/fields.ts'
import { call, updateUser, useRequest, useUser } from '#web/api/index.ts'
import { Alert, Button, CopyText, Field, formatDate, MESSAGES, Select, toast, useRules } from '#web/ui/index.ts'
import { AvatarField } from './avatar-field.tsx'
import styles from './profile.module.css'

const name = personName(LENGTH.name, MESSAGE.required).check(z.minLength(NAME_MIN, { error: MESSAGE.nameLength }))
const Rules = z.object({
  firstname: name,
  lastname: name,
  phone: phoneOrEmpty,
  gender: oneOf(['male', 'female', 'others']),
  date_of_birth: z.union([z.literal(''), pastDay], MESSAGE.invalid),
  country: text(LENGTH.place),
  state: place(LENGTH.place),
  city: place(LENGTH.place),
  address: place(LENGTH.address),
})

type Values = z.infer<typeof Rules>
type FieldOf = ReturnType<typeof useRules<Values>>['field']

/** The profile form; the e-mail address is read-only. */
export function EditProfile() {
  const user = useUser()
  const { firstname, lastname, phone, date_of_birth, country, state, city, address } = user
  const gender = oneOf(['male', 'female', 'others']).safeParse(user.gender).data
  const { field, submit, refuse } = useRules<Values>(Rules, {
    firstname,
    lastname,
    phone,
    date_of_birth,
    country,
    state,
    city,
    address,
    ...(gender ? { gender } : {}),
  })
  const [avatar, setAvatar] = useState<File>()
  // A user whose stored gender is 'others' can switch back to it while the form is open.
  const [hasOthers] = useState(gender === 'others')
  const { loading, error, run } = useRequest(refuse)
  const asksBirthDate = useLocation().hash === '#date_of_birth'

  const send = submit((values) =>
    run(async () => {
      await save(values, avatar, user.phone)
      setAvatar(undefined)
      toast.success(MESSAGES.profileUpdated)
    }),
  )

  return (
    <form className={styles.form} noValidate onSubmit={send}>
      <div className={styles.top}>
        <AvatarField
          stored={user.avatar}
          initials={`${firstname.charAt(0)}${lastname.charAt(0)}`.toUpperCase()}
          value={avatar}
          onChange={setAvatar}
        />
        <div className={styles.code}>
          <h2>Referral code</h2>
          <CopyText text={user.referral_code} what="referral code" />
        </div>
      </div>
      <Alert>{error}</Alert>
      <div className={styles.pair}>
        <Field label="Firstname" autoComplete="given-name" {...field('firstname')} />
        <Field label="Lastname" autoComplete="family-name" {...field('lastname')} />
      </div>
      <Field label="Email" type="email" value={user.email} readOnly hint="You can't change your e-mail address here." />
      <div className={styles.pair}>
        <Field label="Phone" type="tel" autoComplete="tel" {...field('phone')} />
        <Select label="Gender" autoComplete="sex" defaultValue={gender ?? ''} {...field('gender')}>
          <option value="" disabled>
            Choose
          </option>
          <option value="male">Male</option>
          <option value="female">Female</option>
          {hasOthers && <option value="others">Others</option>}
        </Select>
      </div>
      <Field
        label="Date of birth"
        type="date"
        min="1900-01-01"
        max={formatDate(Date.now())}
        autoComplete="bday"
        hint={
          user.date_of_birth
            ? 'If you change your name, date of birth or country after your ID was approved, we check it again.'
            : 'We need it before your first deposit and to approve your ID.'
        }
        autoFocus={asksBirthDate}
        {...field('date_of_birth')}
      />
      <AddressFields field={field} />
      <div>
        <Button type="submit" size="large" loading={loading}>
          Update Profile
        </Button>
      </div>
    </form>
  )
}

/** Sends the profile, and the picture if there is a new one. */
async function save(values: Values, avatar: File | undefined, phoneBefore: string): Promise<void> {
  // A form ignores empty fields, so removing the phone number requires sending the whole profile.
  if (!avatar || (values.phone === '' && phoneBefore !== '')) {
    const { date_of_birth, ...others } = values
    updateUser((await call('PATCH /users', { body: date_of_birth ? values : others })).data)
  }
  if (!avatar) return
  const { phone, ...others } = values
  const form = phone === '' ? others : values
  updateUser((await call('POST /users/update', { form, files: { avatar } })).data)
}

function AddressFields({ field }: { field: FieldOf }) {
  return (
    <>
      <div className={styles.pair}>
        <Select label="Country" autoComplete="country-name" {...field('country')}>
          <option value="" disabled>
            Choose
          </option>
          {COUNTRIES.map(({ code, name }) => (
            <option key={code} value={name}>
              {name}
            </option>
          ))}
        </Select>
        <Field label="State/Region" autoComplete="address-level1" {...field('state')} />
      </div>
      <div className={styles.pair}>
        <Field label="City" autoComplete="address-level2" {...field('city')} />
        <Field label="Address" autoComplete="street-address" {...field('address')} />
      </div>
    </>
  )
}
