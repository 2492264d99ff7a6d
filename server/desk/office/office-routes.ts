import type { deskAuthCalls } from '#contract/desk/auth.ts'
import { type auditCalls, DeskAuditRow } from '#contract/desk/office/audit.ts'
import { DeskOperator, type operatorCalls } from '#contract/desk/office/operators.ts'
import type { settingsCalls } from '#contract/desk/office/settings.ts'
import type { Handlers } from '../../platform/http/index.ts'
import { confirmJoin, join } from '../access/join.ts'
import {
  beginOwnAuthenticator,
  changeOwnPassword,
  confirmOwnAuthenticator,
  endOwnSessions,
  ownSessions,
} from '../access/own-account.ts'
import { signInOperator, signOutOperator } from '../access/sign-in.ts'
import { decisionHandlers, proposalHandlers } from '../actions/proposal-handlers.ts'
import { auditRows, verifyAudit } from '../audit/audit.ts'
import type { DeskDeps } from '../deps.ts'
import { answerList } from '../lists/lists.ts'
import { operatorChanges, proposeEnd, proposeInvitation, proposeRoles } from './operator-changes.ts'
import { endOperator, isAdmin, operators } from './operators.ts'
import { proposeSettings, settings, settingsChanges } from './settings.ts'

/** The routes for signing in, operators, settings and the audit log. */
export function officeRoutes(
  deps: DeskDeps,
): Handlers<
  keyof typeof deskAuthCalls | keyof typeof operatorCalls | keyof typeof settingsCalls | keyof typeof auditCalls
> {
  const { db } = deps
  return {
    'POST /desk/auth/join': async ({ body }) => ({ status: true, data: await join(deps, body) }),
    'POST /desk/auth/join/confirm': async ({ body }) => {
      await confirmJoin(deps, body)
      return { status: true, message: 'Your authenticator is enrolled. Please sign in with its next code.' }
    },
    'POST /desk/auth/login': async ({ body, request }) => {
      const { operator, token, expires } = await signInOperator(deps, body, request)
      return { status: true, data: operator, tokens: { access: { token, expires: expires.toISOString() } } }
    },
    'POST /desk/auth/logout': async ({ who }) => {
      await signOutOperator(db, who.sessionId)
      return { status: true, message: 'You are signed out.' }
    },
    'GET /desk/auth/me': async ({ who }) => ({
      status: true,
      data: { id: String(who.operatorId), email: who.email, roles: [...who.roles] },
    }),

    'GET /desk/auth/sessions': async ({ who }) => ({ status: true, data: await ownSessions(db, who) }),
    'DELETE /desk/auth/sessions': async ({ who }) => {
      await endOwnSessions(db, who)
      return { status: true, message: 'Your other sessions were ended.' }
    },
    'DELETE /desk/auth/sessions/:id': async ({ who, params }) => {
      await endOwnSessions(db, who, params.id)
      return { status: true, message: 'The session was ended.' }
    },
    'POST /desk/auth/password': async ({ who, body }) => {
      await changeOwnPassword(deps, who, body)
      return { status: true, message: 'Your password was changed. Your other sessions were ended.' }
    },
    'POST /desk/auth/authenticator': async ({ who, body }) => ({
      status: true,
      data: await beginOwnAuthenticator(deps, who, body),
    }),
    'POST /desk/auth/authenticator/confirm': async ({ who, body }) => {
      await confirmOwnAuthenticator(deps, who, body)
      return { status: true, message: 'Your new authenticator works from now on. Your other sessions were ended.' }
    },

    'GET /desk/operators': ({ who, query }) =>
      answerList('operators', DeskOperator, query, (page) => operators(db, who, query, page)),
    'POST /desk/operators': async ({ who, body }) => ({
      status: true,
      data: await proposeInvitation(deps, who, { email: body.email, roles: body.roles }),
    }),
    'POST /desk/operators/:id/roles': async ({ who, params, body }) => ({
      status: true,
      data: await proposeRoles(deps, who, { id: params.id, roles: body.roles, reason: body.reason }),
    }),
    ...proposalHandlers(deps, operatorChanges),
    'POST /desk/operators/:id/end': async ({ who, params, body }) => {
      const end = { id: params.id, reason: body.reason }
      const takesTwo = await isAdmin(db, params.id)
      if (takesTwo) await proposeEnd(deps, who, end)
      else await endOperator(db, who, end)
      return { status: true, data: { ended: !takesTwo } }
    },

    'GET /desk/settings': async ({ who }) => ({ status: true, data: await settings(deps, who) }),
    'PATCH /desk/settings': async ({ who, body }) => ({ status: true, data: await proposeSettings(deps, who, body) }),
    ...decisionHandlers(deps, settingsChanges, 'settings/changes'),

    'GET /desk/audit': ({ query }) => answerList('audit', DeskAuditRow, query, (page) => auditRows(db, query, page)),
    'GET /desk/audit/verify': async () => ({ status: true, data: await verifyAudit(db) }),
  }
}
