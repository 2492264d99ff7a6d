import { expect, test } from 'vitest'
import { errorText } from './index.ts'

test('an error is the label followed by the message, a whole sentence stands alone', () => {
  expect(errorText('Email', 'must not be empty')).toBe('Email must not be empty')
  expect(errorText('File', 'Please select file!')).toBe('Please select file!')
})
