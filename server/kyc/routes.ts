import type { kycCalls } from '#contract/kyc.ts'
import { Problem } from '#contract/problem.ts'
import { endOnboarding, lockAccountById } from '../identity/index.ts'
import { FileReply, type Handlers } from '../platform/http/index.ts'
import { handIn, type KycDeps } from './hand-in.ts'
import { toVerification } from './identity-check.ts'
import { livingCheck } from './store.ts'

/** The calls of `contract/kyc.ts`. */
export function kycRoutes(deps: KycDeps): Handlers<keyof typeof kycCalls> {
  return {
    'GET /profile/user-verification': async ({ who }) => {
      const check = await livingCheck(deps.db, who.userId)
      return { status: true, data: check ? toVerification(check) : null }
    },
    'POST /profile/user-verification': async ({ who, form, files }) => {
      await handIn(deps, {
        method: form.method,
        file: files.id_file!,
        owner: who.userId,
        async claim(tx) {
          if (!(await lockAccountById(tx, who.userId))) throw new Problem('unauthenticated', 'Please sign in.')
          await endOnboarding(tx, who.userId)
          return who.userId
        },
      })
      return { status: true, message: 'Government ID Submitted Successfully!' }
    },
    'GET /profile/user-verification/file/:name': async ({ who, params }) => {
      const check = await livingCheck(deps.db, who.userId)
      const picture = check?.file === params.name ? await deps.files.get(check.file) : undefined
      if (!picture) throw new Problem('not_found', 'There is no such file.')
      return new FileReply(picture, 'image/jpeg', {
        'content-disposition': 'inline; filename="id.jpg"',
        'cross-origin-resource-policy': 'same-origin',
      })
    },
  }
}
