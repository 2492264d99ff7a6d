import { BlockList, isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from '#contract/problem.ts'
import { first } from '#kernel/must.ts'

/** A network in CIDR notation; a single address is a network of one. */
export interface Network {
  address: string
  prefix: number
  family: 'ipv4' | 'ipv6'
}

/** Returns a network, or undefined for text that is none. */
export function readNetwork(text: string): Network | undefined {
  const [, address = '', given] = /^([\d.]+|[\da-fA-F:.]+)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? []
  const version = isIP(address)
  if (version === 0) return undefined
  const bits = version === 4 ? 32 : 128
  const prefix = given === undefined ? bits : Number(given)
  return prefix > bits ? undefined : { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' }
}

/** The fewest leading bits that exclude enough to be a limit. */
const BITS_MIN = { ipv4: 8, ipv6: 16 } as const

/** Whether a network is so large that a list with it excludes hardly anyone. */
export const excludesNobody = ({ family, prefix }: Network): boolean => prefix < BITS_MIN[family]

function listOf(networks: readonly Network[]): (ip: string) => boolean {
  const list = new BlockList()
  for (const { address, prefix, family } of networks) list.addSubnet(address, prefix, family)
  return (ip) => {
    const address = first(ip.split('%')).replace(/^::ffff:(?=\d+\.)/i, '')
    const version = isIP(address)
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6')
  }
}

/**
 * Answers calls and pages of the desk only to these networks. Calls are recognized by their route, which the router finds
 * however the path is written.
 */
export function limitDesk(app: FastifyInstance, networks: readonly Network[] | undefined): void {
  if (!networks) return
  const isInside = listOf(networks)
  app.addHook('onRequest', async (request) => {
    if (isOfDesk(request) && !isInside(request.ip))
      throw new Problem('forbidden', "The desk isn't available from your network. Use your company's network or VPN.")
  })
}

function isOfDesk({ routeOptions, url }: FastifyRequest): boolean {
  const route = routeOptions.url ?? ''
  return route.startsWith('/api/desk/') || route.startsWith('/desk') || /^\/+desk(\/|$)/i.test(pathOf(url))
}

function pathOf(url: string): string {
  const [path = ''] = url.split('?')
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
