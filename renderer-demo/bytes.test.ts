import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bytesToHex, bytesToText, hexToBytes, textToBytes, unescapeText } from './bytes.ts';

describe('hexToBytes', () => {
  it('should read upper and lower case, with and without blanks', () => {
    assert.deepEqual([...hexToBytes(' 01 0a FF ')], [1, 10, 255]);
    assert.deepEqual([...hexToBytes('010aff')], [1, 10, 255]);
    assert.deepEqual([...hexToBytes('')], []);
  });

  it('should say how hex is written when it is wrong', () => {
    for (const wrong of ['1', 'zz', '0x01', '01,02', '-1']) {
      assert.throws(() => hexToBytes(wrong), /pairs of 0-9 and A-F/, wrong);
    }
  });
});

describe('bytesToHex', () => {
  it('should write upper case with a blank between bytes', () => {
    assert.equal(bytesToHex(Uint8Array.of(1, 10, 255)), '01 0A FF');
    assert.equal(bytesToHex(Uint8Array.of()), '');
  });
});

describe('textToBytes', () => {
  it('should write UTF-8', () => {
    assert.deepEqual([...textToBytes('aé€')], [0x61, 0xc3, 0xa9, 0xe2, 0x82, 0xac]);
  });
});

describe('unescapeText', () => {
  it('should replace the escapes that a one-line field needs and leave every other backslash', () => {
    assert.equal(unescapeText('a\\r\\n\\tb'), 'a\r\n\tb');
    assert.equal(unescapeText('\\\\n'), '\\n');
    assert.equal(unescapeText('C:\\dir\\'), 'C:\\dir\\');
  });
});

describe('bytesToText', () => {
  it('should show Latin-1, and a middle dot for what cannot be printed', () => {
    assert.equal(bytesToText(Uint8Array.of(0x48, 0xe9, 0, 0x0d, 0x7f, 0x9f, 0xff)), 'Hé····ÿ');
  });
});
