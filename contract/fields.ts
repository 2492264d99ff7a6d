import * as z from 'zod/mini'
import type * as core from 'zod/v4/core'
import { parseUsd, type Usd, usdToNumber } from '#kernel/money.ts'
import { STRIKE_RATE, type StrikeChoice, type StrikeRate } from './terms.ts'

/** The error messages of the specification, verbatim. */
export const MESSAGE = {
  empty: 'must not be empty',
  invalid: 'is invalid',
  required: 'is required',
  passwordLength: 'must be at least 8 characters long',
  phoneLength: 'must be at least 10 characters long',
  nameLength: 'must be at least 3 characters long',
  passwordMismatch: 'Password and Confirm Password does not match',
  selectFile: 'Please select file!',
  sessionRequired: 'Session is required',
  fileTooLarge: 'Max file size is 5mb',
  somethingWentWrong: 'Something Went Wrong!',
} as const

/** Maximum text lengths, in characters. */
export const LENGTH = {
  name: 60,
  email: 254,
  phone: 32,
  password: 128,
  address: 200,
  place: 100,
  token: 100,
  /** A recovery code, with room for spaces around its groups. */
  factorCode: 60,
  bank: 100,
  wallet: 128,
  message: 4_000,
  reason: 500,
} as const
const PASSWORD_MIN = 6
const PHONE_MIN = 10
export const NAME_MIN = 3

const TOO_LONG = (max: number) => `must be at most ${max} characters long`

/** Required text; surrounding whitespace is trimmed. `whenEmpty` is the first message. */
export const text = (max: number, whenEmpty: string = MESSAGE.empty) =>
  z
    .string({ error: (issue) => (issue.input === undefined ? whenEmpty : 'must be text') })
    .check(
      z.trim(),
      z.minLength(1, { error: whenEmpty, abort: true }),
      z.maxLength(max, { error: TOO_LONG(max), abort: true }),
    )

/**
 * Characters that are invisible or change how others are displayed: control characters, bidi overrides, zero-width
 * characters and fillers. In a name they make two users look the same, or reverse the text around them.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u

/**
 * A joiner or non-joiner between two characters of a script that is written with them: `نیک‌خواه`, `ශ්‍රී`. Elsewhere both
 * are hidden characters.
 */
const SCRIPTS =
  '\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Mong}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}\\p{scx=Orya}\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}\\p{scx=Khmr}'
const JOINER = new RegExp(`([${SCRIPTS}])[\\u200C\\u200D](?=[${SCRIPTS}])`, 'gu')

/** Whether every character is visible, or joins the two next to it. */
export const isVisible = (value: string): boolean => !HIDDEN.test(value.replace(JOINER, '$1'))
/** Whether it can be a name: visible, with at least one alphabetic character. */
export const isName = (value: string): boolean => isVisible(value) && /\p{L}/u.test(value)
/** Whether it can be part of an address: visible, with at least one alphabetic character or digit. */
export const isPlace = (value: string): boolean => isVisible(value) && /[\p{L}\p{N}]/u.test(value)

/** A person's or bank's name. */
export const personName = (max: number, whenEmpty?: string) =>
  text(max, whenEmpty).check(z.refine(isName, { error: MESSAGE.invalid, abort: true }))
/** A part of an address. */
export const place = (max: number) => text(max).check(z.refine(isPlace, { error: MESSAGE.invalid, abort: true }))

/** Text that may be empty or left out. */
export const optionalText = (max: number) =>
  z.optional(z.string({ error: 'must be text' }).check(z.trim(), z.maxLength(max, { error: TOO_LONG(max) })))

/** One of a fixed list of values. */
export const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, {
    error: (issue) => (issue.input === undefined || issue.input === '' ? MESSAGE.empty : MESSAGE.invalid),
  })

const matching = <T extends string>(form: RegExp) =>
  z
    .string({ error: (issue) => (issue.input === undefined ? MESSAGE.empty : MESSAGE.invalid) })
    .check(
      z.minLength(1, { error: MESSAGE.empty, abort: true }),
      z.regex(form, MESSAGE.invalid),
    ) as unknown as z.ZodMiniType<T, T>
/** A pair of percentages: the profit of Buy and of Sell, such as `75/3`. */
export const strikeRate = () => matching<StrikeRate>(STRIKE_RATE)
/** The same in replies. */
export const shownStrikeRate = z.string() as unknown as z.ZodMiniType<StrikeRate, StrikeRate>
export const shownStrikeChoice = z.string() as unknown as z.ZodMiniType<StrikeChoice, StrikeChoice>
/** The same, or `best`: for each side the offered one that pays most. */
export const strikeChoice = () => matching<StrikeChoice>(new RegExp(`^best$|${STRIKE_RATE.source}`))

const EMAIL =
  /^[A-Za-z0-9_](?:[A-Za-z0-9._%+'-]{0,62}[A-Za-z0-9_%+'-])?@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+(?:[A-Za-z]{2,63}|[Xx][Nn]--[A-Za-z0-9-]{0,58}[A-Za-z0-9])$/

/** Returns an address with its domain as mail servers know it: `ada@bücher.example` is `ada@xn--bcher-kva.example`. */
function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1
  const domain = address.slice(at)
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) || /^[\w.-]*$/.test(domain)) return address
  const url = `http://${domain}/`
  return URL.canParse(url) ? address.slice(0, at) + new URL(url).hostname : address
}

/** An e-mail address, stored as typed (its domain in ASCII) and always compared ignoring case. */
export const email = text(LENGTH.email).check(
  z.overwrite(withAsciiDomain),
  z.refine((value) => EMAIL.test(value) && !value.includes('..'), MESSAGE.invalid),
)

/** A password typed at sign-in: anything, whitespace kept. */
export const password = z
  .string({ error: (issue) => (issue.input === undefined ? MESSAGE.empty : 'must be text') })
  .check(
    z.minLength(1, { error: MESSAGE.empty, abort: true }),
    z.maxLength(LENGTH.password, { error: TOO_LONG(LENGTH.password) }),
  )

/** A new password. The message says 8 for a minimum of 6, as in the specification. */
export const newPassword = z
  .string({ error: (issue) => (issue.input === undefined ? MESSAGE.required : 'must be text') })
  .check(
    z.minLength(1, { error: MESSAGE.required, abort: true }),
    z.minLength(PASSWORD_MIN, { error: MESSAGE.passwordLength, abort: true }),
    z.maxLength(LENGTH.password, { error: TOO_LONG(LENGTH.password) }),
  )

export const confirmPassword = z
  .string({ error: (issue) => (issue.input === undefined ? MESSAGE.required : 'must be text') })
  .check(
    z.minLength(1, { error: MESSAGE.required, abort: true }),
    z.maxLength(LENGTH.password, { error: TOO_LONG(LENGTH.password) }),
  )

/** For `.check()` on an object with `password` and `confirmPassword`. */
export const passwordsMatch = <T extends { password: string; confirmPassword: string }>() =>
  z.refine<T>((form) => form.password === form.confirmPassword, {
    path: ['confirmPassword'],
    error: MESSAGE.passwordMismatch,
  })

/** Removes what comes along when a number is copied: a `tel:` link, direction marks, unusual spaces and dashes. */
const pasted = (value: string): string =>
  value
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\p{Pd}/gu, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^tel: ?/i, '')

/** Writes the prefix of a call abroad in one way. */
const international = (value: string): string => value.replace(/^00 ?(?=[1-9])/, '+')

/** A phone number, or `''`. */
export const phoneOrEmpty = z.string({ error: 'must be text' }).check(
  z.overwrite(pasted),
  z.refine((value) => value === '' || value.length >= PHONE_MIN, { error: MESSAGE.phoneLength, abort: true }),
  z.maxLength(LENGTH.phone, { error: TOO_LONG(LENGTH.phone), abort: true }),
  z.refine(isVisible, { error: MESSAGE.invalid, abort: true }),
  z.overwrite(international),
)

export const phone = phoneOrEmpty.check(z.minLength(1, MESSAGE.empty))

/** The payment links that are understood, and what an address of theirs looks like. */
const PAYMENT_LINKS: Record<string, RegExp> = {
  bitcoin: /^(?!0x)[0-9a-z]+$/i,
  ethereum: /^(?:0x)[0-9a-f]+$/i,
}

/**
 * Returns the address of a payment link: `bitcoin:bc1q…?amount=0.1` is `bc1q…`. Other text stays as it is, and so does a
 * link that asks for more than a payment to that address: another chain, a contract, a parameter that we'd have to know.
 */
export function linkedAddress(typed: string): string {
  const [, scheme = '', address = '', chain, query = ''] =
    /^([a-z]+):(?:\/\/)?([^?@/#]*)(?:@(\d+))?(?:\?(.*))?$/is.exec(typed.trim()) ?? []
  const isPlain = (chain === undefined || chain === '1') && !/(?:^|&)req-/i.test(query)
  return isPlain && PAYMENT_LINKS[scheme.toLowerCase()]?.test(address) ? address : typed.trim()
}

/** An address of a wallet, or a payment link with one. */
export const walletAddress = z
  .string({ error: (issue) => (issue.input === undefined ? MESSAGE.empty : 'must be text') })
  .check(
    z.overwrite(linkedAddress),
    z.minLength(1, { error: MESSAGE.empty, abort: true }),
    z.maxLength(LENGTH.wallet, { error: TOO_LONG(LENGTH.wallet), abort: true }),
  )

/** A one-time token as used in links: 256 bits, base64url. */
export const token = (whenEmpty: string = MESSAGE.empty) => text(LENGTH.token, whenEmpty)

/** A past calendar day, `YYYY-MM-DD`. */
export const pastDay = text(10).check(
  z.refine((value) => {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(value) || value < '1900-01-01') return false
    const day = new Date(`${value}T00:00:00Z`)
    return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value) && day.getTime() < Date.now()
  }, MESSAGE.invalid),
)

/** A calendar day in UTC, `YYYY-MM-DD`. */
export const utcDay = text(10).check(
  z.refine((value) => {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
    const start = new Date(`${value}T00:00:00Z`)
    return !Number.isNaN(start.getTime()) && start.toISOString().startsWith(value)
  }, MESSAGE.invalid),
)

/** A time in a query: Unix ms, until the year 2286. */
export const unixMs = z
  .string()
  .check(z.refine((value) => /^\d{1,13}$/.test(value), 'must be a time in whole milliseconds'))

/** A whole number in a query. */
export const wholeText = (min: number, max: number) =>
  z
    .string()
    .check(
      z.refine(
        (value) => /^(0|[1-9]\d{0,8})$/.test(value) && Number(value) >= min && Number(value) <= max,
        `must be a whole number from ${min} to ${max}`,
      ),
    )

/** A whole number in a JSON body. */
export const whole = (min: number, max: number) =>
  z
    .number({ error: (issue) => (issue.input === undefined ? MESSAGE.empty : 'must be a number') })
    .check(
      z.refine((value) => Number.isInteger(value) && value >= min && value <= max, `must be from ${min} to ${max}`),
    )

/** Reads dollars of at least `min` by their text or number, and reports what isn't an amount. */
const decodeUsd =
  (min: number) =>
  (dollars: number | string, context: core.ParsePayload): Usd => {
    const amount = parseUsd(dollars)
    if (amount !== undefined && amount >= BigInt(Math.round(min * 100))) return amount
    const message = amount === undefined ? 'must be an amount with at most two decimals' : `must be at least ${min}`
    context.issues.push({ code: 'custom', message, input: dollars })
    return z.NEVER
  }

/** An amount of US dollars in a JSON body: a number with at most two decimals, at least `min` dollars. */
export const usdAmount = (min = 1) =>
  z.codec(
    z
      .number({ error: (issue) => (issue.input === undefined ? MESSAGE.empty : 'must be a number') })
      // For the API's documentation.
      .check(z.meta({ minimum: min })),
    z.custom<Usd>(),
    { decode: decodeUsd(min), encode: usdToNumber },
  )

/** An amount of US dollars as plain decimal text, for forms and query strings; at least `min` dollars. */
export const usdText = (min = 1) =>
  z.pipe(
    z
      .string({ error: (issue) => (issue.input === undefined ? MESSAGE.empty : 'must be text') })
      .check(z.trim(), z.minLength(1, MESSAGE.empty)),
    z.transform<string, Usd>(decodeUsd(min)),
  )

/** US dollars in a response. */
export const usdNumber = z.number()

/** ISO 8601 in UTC. */
export const isoTime = z.string()

/** The page size of a list, as a query parameter. */
export const limit = z.optional(
  z
    .string()
    .check(
      z.refine(
        (value) => /^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= 200,
        'must be from 1 to 200',
      ),
    ),
)
/** The start of a list's next page: the `next_cursor` of the previous response. */
export const cursor = z.optional(z.string().check(z.maxLength(200, MESSAGE.invalid)))

export const DEFAULT_LIMIT = 50
