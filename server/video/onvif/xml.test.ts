import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fails } from '../testing/testPanel.ts';
import { childAt, childrenOf, escaped, findIn, readXml, textAt, writeXml } from './xml.ts';

test('should read elements, attributes and text, whatever the prefixes', () => {
  const root = readXml(
    '\ufeff<?xml version="1.0"?>\n<!-- a > b --><s:Envelope xmlns:s="urn:x"><s:Body id=\'1\' t:token = "a&amp;b">' +
      'one&#x20;&#65;<x/><![CDATA[<two> &amp; ]]>\n<tt:x a="&quot;&lt;">&apos;</tt:x></s:Body></s:Envelope>\n',
  );
  const body = childAt(root, 'Body')!;
  assert.equal(root.name, 'Envelope');
  assert.deepEqual(
    [...body.attributes],
    [
      ['id', '1'],
      ['token', 'a&b'],
    ],
  );
  assert.equal(body.text, 'one A<two> &amp;');
  assert.equal(childrenOf(body, 'x').length, 2);
  assert.equal(textAt(root, 'Body', 'x'), '');
  assert.equal(childrenOf(body, 'x')[1]!.attributes.get('a'), '"<');
  assert.equal(findIn(root, 'x'), body.children[0]);
  assert.equal(textAt(readXml(`<a b="${escaped('<"&\u0001\'>')}">${escaped('<b/>')}</a>`)), '<b/>');
});

test('should write an element as it was read, in its namespaces', () => {
  const root = readXml(
    '<a:x xmlns:a="urn:a" xmlns="urn:d"><Plain at="1" a:at="2" a:other="3"/><a:y xmlns:a="urn:&quot;b">&lt;7&gt;<a:z/><w xmlns=""/></a:y><n:o/></a:x>',
  );
  assert.deepEqual(
    root.children.map((child) => writeXml(child, ' m="1"')),
    [
      '<Plain xmlns="urn:d" at="1" m="1"></Plain>',
      '<y xmlns="urn:&quot;b" m="1">&lt;7&gt;<z xmlns="urn:&quot;b"></z><w xmlns=""></w></y>',
      '<o xmlns="" m="1"></o>',
    ],
  );
});

test('security: should refuse what is no XML, a DTD, unknown entities, and what is too deep or too large', () => {
  const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth);
  readXml(nested(32));
  const refused = [
    '',
    'text',
    '<a>',
    '<a></b>',
    '</a>',
    '<a/><b/>',
    '<a/>text',
    '<a b></a>',
    '<a b="<"/>',
    '<a b="1"c="2"/>',
    '<a',
    '<!-- a',
    '<a><![CDATA[</a>',
    '<!DOCTYPE a><a/>',
    '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    '<a>&b;</a>',
    '<a>&amp</a>',
    '<a>& </a>',
    '<a>&#0;</a>',
    '<a>&#xD800;</a>',
    '<a>&#x110000;</a>',
    nested(33),
    `<a>${'<b/>'.repeat(20_000)}</a>`,
    `<a ${Array.from({ length: 65 }, (_, at) => `a${at}=""`).join(' ')}/>`,
    `<a ${Array.from({ length: 65 }, (_, at) => `xmlns:a${at}=""`).join(' ')}/>`,
    `<${'a'.repeat(257)}/>`,
  ];
  for (const text of refused)
    assert.throws(() => readXml(text), fails('CAMERA_PROTOCOL', /ONVIF/), text.slice(0, 60));
});
