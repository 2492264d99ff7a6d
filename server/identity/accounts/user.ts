import type { User } from '#contract/account/user.ts'
import type { PlanRequestStatus, PlanValue, TradingPlan } from '#contract/terms.ts'
import { type Usd, usdToNumber } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'

/** The columns of `users` that their owner may see. */
export interface UserRow {
  id: bigint
  email: string
  email_confirmed_at: Date | null
  firstname: string
  lastname: string
  phone: string
  gender: string
  date_of_birth: string | null
  country: string
  state: string
  city: string
  address: string
  /** Name in the file storage. */
  avatar: string | null
  referral_code: string
  /** When a guest's account closes; null for others. */
  guest_until: Date | null
  trading_plan: TradingPlan
  plan_request: PlanValue | null
  plan_request_status: PlanRequestStatus | null
}

/** The columns of `UserRow`, for `select`. */
export const USER_COLUMNS = [
  'id',
  'email',
  'email_confirmed_at',
  'firstname',
  'lastname',
  'phone',
  'gender',
  'date_of_birth',
  'country',
  'state',
  'city',
  'address',
  'avatar',
  'referral_code',
  'guest_until',
  'trading_plan',
  'plan_request',
  'plan_request_status',
] as const satisfies (keyof UserRow)[]

/** Returns the user as shown on their own screens. The only function that builds a `User`. */
export function toUser(row: UserRow, balances: { balance: Usd; demoBalance: Usd }): User {
  return {
    id: row.id.toString(),
    email: row.guest_until === null ? row.email : '',
    email_verified: row.email_confirmed_at !== null,
    firstname: row.firstname,
    lastname: row.lastname,
    phone: row.phone,
    gender: row.gender,
    date_of_birth: row.date_of_birth ?? '',
    country: row.country,
    state: row.state,
    city: row.city,
    address: row.address,
    avatar: row.avatar === null ? null : `/api/avatars/${row.avatar}`,
    referral_code: row.referral_code,
    balance: usdToNumber(balances.balance),
    demo_balance: usdToNumber(balances.demoBalance),
    trading_plan: row.trading_plan,
    plan_request:
      row.plan_request === null
        ? null
        : {
            // 'Gold-7600' is the plan 'Gold'.
            plan: first(row.plan_request.split('-')),
            trading_plan: row.plan_request,
            status: row.plan_request_status ?? '',
          },
  }
}
