import type { kycCalls } from '#contract/account/kyc.ts'
import { Problem } from '#contract/problem.ts'
import { must } from '#kernel/must.ts'
import { endOnboarding, lockAccountById } from '../identity/index.ts'
import { FileReply, type Handlers } from '../platform/http/index.ts'
import { toAddressVerification, toVerification } from './identity-check.ts'
import { currentCheck } from './store.ts'
import { type KycDeps, submit, submitAddress } from './submit.ts'

/** The routes of `contract/account/kyc.ts`. */
export function kycRoutes(deps: KycDeps): Handlers<keyof typeof kycCalls> {
  return {
    'GET /profile/user-verification': async ({ who }) => {
      const check = await currentCheck(deps.db, who.userId)
      return { status: true, data: check ? toVerification(check) : null }
    },
    'POST /profile/user-verification': async ({ who, form, files }) => {
      await submit(deps, {
        method: form.method,
        file: must(files.id_file),
        owner: who.userId,
        async claim(tx) {
          if (!(await lockAccountById(tx, who.userId))) throw new Problem('unauthenticated', 'Please sign in.')
          await endOnboarding(tx, who.userId)
          return who.userId
        },
      })
      return { status: true, message: 'Government ID Submitted Successfully!' }
    },
    'GET /profile/address-verification': async ({ who }) => {
      const check = await currentCheck(deps.db, who.userId, 'address')
      return { status: true, data: check ? toAddressVerification(check) : null }
    },
    'POST /profile/address-verification': async ({ who, form, files }) => {
      await submitAddress(deps, {
        method: form.method,
        file: must(files.file),
        owner: who.userId,
        async claim(tx) {
          if (!(await lockAccountById(tx, who.userId))) throw new Problem('unauthenticated', 'Please sign in.')
          return who.userId
        },
      })
      return { status: true, message: 'Proof of address uploaded.' }
    },
    'GET /profile/user-verification/file/:name': async ({ who, params }) => {
      const checks = await Promise.all([
        currentCheck(deps.db, who.userId),
        currentCheck(deps.db, who.userId, 'address'),
      ])
      const file = checks.find((check) => check?.file === params.name)?.file
      const picture = file === undefined ? undefined : await deps.files.get(file)
      if (!picture) throw new Problem('not_found', 'File not found.')
      return new FileReply(picture, 'image/jpeg', {
        'content-disposition': 'inline; filename="id.jpg"',
        'cross-origin-resource-policy': 'same-origin',
      })
    },
  }
}
