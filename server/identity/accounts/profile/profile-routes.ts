import type { profileCalls } from '#contract/account/profile.ts'
import { Problem } from '#contract/problem.ts'
import type { chartCalls } from '#contract/trading/chart.ts'
import { FileReply, type Handlers } from '../../../platform/http/index.ts'
import { changeChart, chartOf } from './chart.ts'
import { chooseOnScreen, screenChoices } from './screen-choices.ts'
import { avatarPicture, type ProfileChange, type ProfileDeps, updateProfile } from './update-profile.ts'

const MESSAGE = 'Profile updated successfully!'

/** The routes of `contract/account/profile.ts` and `contract/trading/chart.ts`. */
export function profileRoutes(deps: ProfileDeps): Handlers<keyof typeof profileCalls | keyof typeof chartCalls> {
  return {
    'PATCH /users': async ({ who, body }) => ({
      status: true,
      message: MESSAGE,
      data: await updateProfile(deps, who.userId, { ...body, phone: body.phone ?? '' }),
    }),
    'POST /users/update': async ({ who, form, files }) => {
      // Empty fields change nothing; a form without any fields was truncated.
      if (Object.keys(form).length === 0 && !files.avatar) {
        throw new Problem('validation_failed', 'The form is empty.')
      }
      const given = Object.entries(form).filter(([, value]) => value !== undefined && value !== '')
      // The form's schema applies the same rules to non-empty fields as the profile's.
      const change = Object.fromEntries(given) as ProfileChange
      return { status: true, message: MESSAGE, data: await updateProfile(deps, who.userId, change, files.avatar) }
    },
    'GET /users/screen': async ({ who }) => ({ status: true, data: await screenChoices(deps.db, who.userId) }),
    'PATCH /users/screen': async ({ who, body }) => {
      return { status: true, data: await chooseOnScreen(deps.db, who.userId, body) }
    },
    'GET /users/chart': async ({ who }) => ({ status: true, data: await chartOf(deps.db, who.userId) }),
    'PATCH /users/chart': async ({ who, body }) => {
      await changeChart(deps.db, who.userId, body)
      return { status: true, message: 'Chart saved.' }
    },
    'GET /avatars/:name': async ({ params }) => {
      const picture = await avatarPicture(deps, params.name)
      if (!picture) throw new Problem('not_found', 'Image not found.')
      return new FileReply(picture, 'image/jpeg', {
        'cache-control': 'public, max-age=31536000, immutable',
        'content-disposition': 'inline; filename="avatar.jpg"',
        'cross-origin-resource-policy': 'same-origin',
      })
    },
  }
}
