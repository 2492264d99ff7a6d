import { expect, test } from 'vitest'
import { changeAddress, readAddress, serversOf } from './address.ts'
import { readUrl, withDatabase, withRole } from './provision.ts'

test.each([
  ['postgres://u:p@one/db', ['postgres://u:p@one/db']],
  ['postgres://u:p@one:5433,two:5434/db', ['postgres://u:p@one:5433/db', 'postgres://u:p@two:5434/db']],
  [
    'postgresql://u:p%40x@one,[::1]:5434/db?target_session_attrs=read-write&sslmode=require',
    ['postgresql://u:p%40x@one/db?sslmode=require', 'postgresql://u:p%40x@[::1]:5434/db?sslmode=require'],
  ],
  ['postgres://one,two/db?target_session_attrs=primary', ['postgres://one/db', 'postgres://two/db']],
  [
    'postgres://one,two?sslmode=require&target_session_attrs=any',
    ['postgres://one?sslmode=require', 'postgres://two?sslmode=require'],
  ],
])('%s names its servers', (address, servers) => {
  expect(serversOf(address)).toEqual(servers)
  for (const server of servers) expect(URL.canParse(server)).toBe(true)
})

test('another login or database keeps all servers', () => {
  const address = 'postgres://owner:old@one:5432,two:5433/cleartick?sslmode=require'
  expect(withRole(address, 'server', 'p@ss')).toBe(
    'postgres://server:p%40ss@one:5432,two:5433/cleartick?sslmode=require',
  )
  expect(withDatabase(address, 'other')).toBe('postgres://owner:old@one:5432,two:5433/other?sslmode=require')
  expect(withDatabase('postgres://u:p@one:5432/a', 'b')).toBe('postgres://u:p@one:5432/b')
  expect(changeAddress(address, () => undefined)).toBe(address)
  expect(readAddress(address)).toMatchObject({ username: 'owner', password: 'old', pathname: '/cleartick' })
})

test('the standby is read with the login of the server, unless it has another', () => {
  const app = 'postgres://server:secret@one:5432,two:5433/cleartick'
  expect(readUrl('postgres://standby', app)).toBe('postgres://server:secret@standby/cleartick')
  expect(readUrl('postgres://standby:5433/', app)).toBe('postgres://server:secret@standby:5433/cleartick')
  expect(readUrl('postgres://reader:x@standby/copy', app)).toBe('postgres://reader:x@standby/copy')
})
