import { expect, test } from 'vitest'
import { errorText } from '../index.ts'

test("prefixes an error with the label unless it's a full sentence", () => {
  expect(errorText('Email', 'must not be empty')).toBe('Email must not be empty')
  expect(errorText('File', 'Please select file!')).toBe('Please select file!')
})
