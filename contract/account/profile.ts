import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../endpoint.ts'
import {
  isName,
  isPlace,
  LENGTH,
  MESSAGE,
  NAME_MIN,
  oneOf,
  pastDay,
  personName,
  phoneOrEmpty,
  place,
  shownStrikeChoice,
  strikeChoice,
  text,
  usdAmount,
  usdNumber,
} from '../fields.ts'
import { DURATIONS, FAVOURITES_MAX, MODES, PRESETS_MAX, RECENTS_MAX } from '../terms.ts'
import { country, GENDERS } from './auth.ts'
import { isCountry } from './countries.ts'
import { timeZone } from './time-zone.ts'
import { User } from './user.ts'

/** Maximum size of an uploaded avatar, in bytes. */
const AVATAR_MAX_BYTES = 2_097_152

const name = personName(LENGTH.name, MESSAGE.required).check(z.minLength(NAME_MIN, { error: MESSAGE.nameLength }))

/** Form text in which an empty field means no change. */
const orEmpty = (
  max: number,
  isGood: (value: string) => boolean = () => true,
  message: string = MESSAGE.invalid,
  isValid: (value: string) => boolean = () => true,
) =>
  z.optional(
    z.string({ error: 'must be text' }).check(
      z.trim(),
      z.maxLength(max, { error: `must be at most ${max} characters long`, abort: true }),
      z.refine((value) => value === '' || isGood(value), { error: message, abort: true }),
      z.refine((value) => value === '' || isValid(value), MESSAGE.invalid),
    ),
  )
const longEnough = (value: string): boolean => value.length >= NAME_MIN
const goodName = [longEnough, MESSAGE.nameLength, isName] as const

/** The whole profile. An omitted phone number is removed. */
export const ProfileBody = z.strictObject({
  firstname: name,
  lastname: name,
  phone: z.optional(phoneOrEmpty),
  gender: oneOf(GENDERS),
  /** Unchanged when omitted. */
  date_of_birth: z.optional(pastDay),
  country,
  state: place(LENGTH.place),
  city: place(LENGTH.place),
  address: place(LENGTH.address),
})

/** Profile fields to change; empty or omitted ones stay the same. */
const ProfileForm = z.strictObject({
  firstname: orEmpty(LENGTH.name, ...goodName),
  lastname: orEmpty(LENGTH.name, ...goodName),
  phone: z.optional(phoneOrEmpty),
  gender: orEmpty(LENGTH.place, (value) => (GENDERS as readonly string[]).includes(value)),
  date_of_birth: orEmpty(10, (value) => pastDay.safeParse(value).success),
  country: orEmpty(LENGTH.place, isCountry),
  state: orEmpty(LENGTH.place, isPlace),
  city: orEmpty(LENGTH.place, isPlace),
  address: orEmpty(LENGTH.address, isPlace),
})

const symbol = z.string({ error: 'must be text' }).check(z.regex(/^[A-Z0-9]{1,20}$/, MESSAGE.invalid))
const symbols = (max: number) =>
  z.array(symbol, { error: 'must be a list' }).check(
    z.maxLength(max, { error: `must have at most ${max} entries`, abort: true }),
    z.refine((list) => new Set(list).size === list.length, 'must not repeat an entry'),
  )
const DURATION_ERROR = `must be one of ${DURATIONS.join(', ')}`

const duration = z
  .number({ error: 'must be a number' })
  .check(z.refine((value) => (DURATIONS as readonly number[]).includes(value), DURATION_ERROR))

/** What one tap fills the ticket with. The amount is US dollars. */
export const OrderPreset = z.strictObject({
  symbol: z.string(),
  duration: z.number(),
  strike_rate: shownStrikeChoice,
  amount: usdNumber,
})
export type OrderPreset = z.infer<typeof OrderPreset>

/** What a trader chose on the trading screen, kept with the account. What was never chosen is absent. */
export const ScreenChoices = z.strictObject({
  mode: z.optional(z.enum(MODES)),
  symbol: z.optional(z.string()),
  /** Seconds. */
  duration: z.optional(z.number()),
  strike_rate: z.optional(shownStrikeChoice),
  /** The stake of the next order, US dollars. */
  amount: z.optional(usdNumber),
  favourites: z.optional(z.array(z.string())),
  /** The markets opened last, newest first. */
  recents: z.optional(z.array(z.string())),
  /** Newest first. */
  presets: z.optional(z.array(OrderPreset)),
  /** Whether the hints of the trading screen were seen. */
  coached: z.optional(z.boolean()),
  /** The zone of the trader's days, as in IANA's database; absent for that of their browser. */
  time_zone: z.optional(z.string()),
  /** Whether there are indicators, layouts or drawings, which `GET /users/chart` returns. */
  has_chart: z.optional(z.boolean()),
  /** Whether there are alerts, which `GET /alerts` returns. */
  has_alerts: z.optional(z.boolean()),
  /** Whether there are orders that wait or waited, which `GET /waiting-orders` returns. */
  has_orders: z.optional(z.boolean()),
})
export type ScreenChoices = z.infer<typeof ScreenChoices>

export const ScreenChoicesBody = z
  .strictObject({
    mode: z.optional(oneOf(MODES)),
    symbol: z.optional(symbol),
    duration: z.optional(duration),
    strike_rate: z.optional(strikeChoice()),
    amount: z.optional(usdAmount()),
    favourites: z.optional(symbols(FAVOURITES_MAX)),
    recents: z.optional(symbols(RECENTS_MAX)),
    presets: z.optional(
      z
        .array(z.strictObject({ symbol, duration, strike_rate: strikeChoice(), amount: usdAmount() }), {
          error: 'must be a list',
        })
        .check(z.maxLength(PRESETS_MAX, { error: `must have at most ${PRESETS_MAX} entries`, abort: true })),
    ),
    coached: z.optional(z.literal(true, { error: 'must be true' })),
    /** Empty for the zone of the browser. */
    time_zone: z.optional(z.union([z.literal(''), timeZone], 'must be a time zone')),
  })
  .check(z.refine((body) => Object.keys(body).length > 0, MESSAGE.empty))

export const profileCalls = {
  'PATCH /users': {
    summary: 'Replaces the whole profile, except for the e-mail address.',
    access: 'user',
    body: ProfileBody,
    reply: replyOf(User),
    problems: [],
  },
  'POST /users/update': {
    summary: 'Updates parts of the profile, and the avatar.',
    access: 'user',
    form: ProfileForm,
    files: { avatar: { maxBytes: AVATAR_MAX_BYTES, required: false } },
    reply: replyOf(User),
    problems: ['too_large', 'unsupported_media_type'],
  },
  'GET /users/screen': {
    summary: 'Returns what the trader chose on the trading screen.',
    access: 'user',
    guests: true,
    reply: replyOf(ScreenChoices),
    problems: [],
  },
  'PATCH /users/screen': {
    summary: 'Stores what the trader chose on the trading screen. Omitted fields stay the same.',
    access: 'user',
    guests: true,
    // A screen writes at most once a second; two screens may be open.
    limit: { max: 120, per: 'minute' },
    body: ScreenChoicesBody,
    reply: replyOf(ScreenChoices),
    problems: [],
  },
  'GET /avatars/:name': {
    summary: 'Returns an avatar. The image under a name never changes.',
    access: 'visitor',
    params: z.strictObject({ name: text(80) }),
    reply: 'text',
    problems: ['not_found'],
  },
} as const satisfies Record<string, Endpoint>
