import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseMessage } from './parse.ts';
import { userOf } from './uri.ts';

/**
 * The cases of RFC 4475 (SIP torture tests) in our own messages: each case changes a plain message in the one way of
 * its section.
 */
interface Case {
  readonly section: string;
  readonly what: string;
  readonly start?: string;
  /** Lines that replace the plain one of this name; `undefined` removes it. */
  readonly change?: Readonly<Record<string, string | undefined>>;
  readonly add?: readonly string[];
  readonly body?: string;
}

const PLAIN: Readonly<Record<string, string>> = {
  via: 'Via: SIP/2.0/UDP door.example.org:5062;branch=z9hG4bKplain1',
  from: 'From: "Front door" <sip:door@example.org>;tag=d1',
  to: 'To: <sip:panel@example.org>',
  callId: 'Call-ID: torture-1@door.example.org',
  cseq: 'CSeq: 7 INVITE',
  forwards: 'Max-Forwards: 70',
  contact: 'Contact: <sip:door@192.0.2.9>',
};

function bytesOf({
  start = 'INVITE sip:panel@example.org SIP/2.0',
  change = {},
  add = [],
  body,
}: Case): Buffer {
  const fields = Object.entries(PLAIN).flatMap(([name, line]) => {
    const replaced = name in change ? change[name] : line;
    return replaced === undefined ? [] : [replaced];
  });
  return Buffer.from([start, ...fields, ...add, '', body ?? ''].join('\r\n'));
}

const VALID: readonly Case[] = [
  {
    section: '3.1.1.1',
    what: 'folded lines, blanks around every separator, compact and odd-case names, empty and unknown fields',
    start: 'INVITE sip:panel@example.org;someparam SIP/2.0',
    change: {
      via: 'v:  SIP  / 2.0\r\n /TCP   door.example.org  : 5062 ;\r\n  branch  =  z9hG4bKfold ,\r\n SIP / 2.0 / UDP 10.0.0.1 ; branch=\r\n\tz9hG4bKsecond',
      from: 'f: "Door \\\\ \\"1\\""      <sip:door@example.org>\r\n  ;\r\n   tag  =  d1',
      to: 'TO :\r\n sip:panel@example.org ;  tag   = p1',
      callId: 'i : torture-fold@door.example.org',
      cseq: 'CSEQ: 0007\r\n  INVITE',
      forwards: 'max-forwards: 0070',
      contact: 'm:"Quoted \\"\\"" <sip:door@example.org> ; new =\r\n  value ;\r\n  flag ; q = 0.33',
    },
    add: [
      's:',
      'Brand-New: one\r\n two three',
      'Odd: ;;,,;;,;',
      'Route:\r\n <sip:proxy.example.org;lr;a=b;c>',
    ],
  },
  {
    section: '3.1.1.2',
    what: 'every character that a token, a user and a display name may hold',
    start:
      "!odd-Method0123456789_*+`.%like'~ sip:1_odd.User~(but!fine)&isn't+it$/right?,/;;*:&it+has=1,p*ss$wo~d.(isn't-it)@example.org SIP/2.0",
    change: {
      cseq: "CSeq: 139 !odd-Method0123456789_*+`.%like'~",
      via: "Via: SIP/2.0/TCP host.example.org:5060;branch=z9hG4bK-.!%66*_+`'~",
      callId: 'Call-ID: odd%Z%40.{}<>[]\\/?"(word)@example.org',
      from: 'From: token1~` token2\'+_ token3*%!.- <sip:door@example.org>;pa\'ram="\\a>";tag=_t~a%g*',
      to: 'To: "Grüße, \u{1f514} <\\"\\\\>" <sip:panel@example.org>',
    },
  },
  {
    section: '3.1.1.3',
    what: 'escapes that stand for separators of a URI',
    start: 'INVITE sip:sips%3Apanel%40example.org@example.net SIP/2.0',
  },
  {
    section: '3.1.1.4',
    what: 'escaped null characters',
    start: 'INVITE sip:a-%00-b@example.org SIP/2.0',
  },
  {
    section: '3.1.1.5',
    what: 'percent signs that are no escapes',
    start: 'INV%49TE sip:panel@example.org SIP/2.0',
    change: { cseq: 'CSeq: 7 INV%49TE', to: 'To: "%Z%45" <sip:panel@example.org>' },
  },
  {
    section: '3.1.1.6',
    what: 'no blank between display name and address',
    change: { from: 'From: door<sip:door@example.org>;tag=d1' },
  },
  {
    section: '3.1.1.7',
    what: 'very long values',
    start: `INVITE sip:panel@example.org SIP/2.0`,
    change: {
      callId: `Call-ID: ${'long'.repeat(500)}@example.org`,
      from: `From: "${'long name '.repeat(200)}" <sip:${'u'.repeat(800)}@example.org>;tag=${'t'.repeat(900)}`,
      via: `${PLAIN.via}${Array.from({ length: 30 }, (_, hop) => `,SIP/2.0/TCP p${hop}.example.org;branch=z9hG4bK${hop}`).join('')}`,
    },
    add: [`Long-Unknown-${'name'.repeat(60)}: ${'value '.repeat(300)}`],
  },
  {
    section: '3.1.1.8',
    what: 'octets after the end of the message in its datagram',
    add: ['Content-Length: 0'],
    body: 'INVITE sip:other@example.org SIP/2.0\r\nVia: SIP/2.0/UDP 192.0.2.1\r\n\r\n',
  },
  {
    section: '3.1.1.9',
    what: 'semicolons in the user part',
    start: 'INVITE sip:panel;par=u%40example.net@example.org SIP/2.0',
  },
  {
    section: '3.1.1.10',
    what: 'transports that we do not know',
    change: {
      via: ['UDP', 'SCTP', 'TLS', 'UNKNOWN', 'TCP']
        .map((name, hop) => `Via: SIP/2.0/${name} t${hop}.example.org;branch=z9hG4bK${hop}`)
        .join('\r\n'),
    },
  },
  {
    section: '3.1.1.11',
    what: 'a body of several parts',
    start: 'MESSAGE sip:panel@example.org SIP/2.0',
    change: { cseq: 'CSeq: 7 MESSAGE' },
    add: ['Content-Type: multipart/mixed;boundary=7a9cbec02ceef655'],
    body: '--7a9cbec02ceef655\r\nContent-Type: text/plain\r\n\r\n\x00\r\n--7a9cbec02cee',
  },
  {
    section: '3.1.1.12',
    what: 'a reason phrase in another script',
    start: 'SIP/2.0 200 = 2**3 * 5**2 готово',
  },
  { section: '3.1.1.13', what: 'an empty reason phrase', start: 'SIP/2.0 100 ' },
  {
    section: '3.3.3',
    what: 'a scheme that nobody knows in the Request-URI (answered by 416 above the parser)',
    start: 'INVITE nobodyknows:panel SIP/2.0',
  },
  {
    section: '3.3.5',
    what: 'unknown schemes in header fields',
    change: { to: 'To: <isbn:2983792873>', from: 'From: <http://www.example.org>;tag=d1' },
  },
  {
    section: '3.3.12',
    what: 'Max-Forwards of zero',
    change: { forwards: 'Max-Forwards: 0' },
  },
  {
    section: '3.3.13',
    what: 'a parameter of the Contact header, not of its URI',
    change: { contact: 'Contact: sip:door@192.0.2.9;unknownparam' },
  },
  {
    section: '3.4.1',
    what: 'a request of RFC 2543 without branch and Max-Forwards',
    change: { via: 'Via: SIP/2.0/UDP door.example.org', forwards: undefined },
  },
  {
    section: 'RFC 5118 4.1',
    what: 'IPv6 references in URI, Via and Contact',
    start: 'INVITE sip:[2001:db8::10]:5070 SIP/2.0',
    change: {
      via: 'Via: SIP/2.0/UDP [2001:db8::9:1]:6060;branch=z9hG4bK6;received=2001:db8::9:255',
      contact: 'Contact: <sip:door@[2001:db8::1]>',
    },
  },
];

/** Invalid by RFC 4475, but what is wrong with them steers nothing, and real devices send such. */
const ODD: readonly Case[] = [
  {
    section: '3.1.2.11',
    what: 'header fields in the Request-URI',
    start: 'INVITE sip:panel@example.org?Route=%3Csip:x.example.org%3E SIP/2.0',
  },
  { section: '3.1.2.12', what: 'a date in another time zone', add: ['Date: Fri, 01 Jan 2010 16:00:00 EST'] },
  { section: 'own', what: 'a date without a day', add: ['Date: 2021-08-18 14:43:48'] },
  { section: 'own', what: 'a date as sipp writes it', add: ['Date: Wed, 18 Aug 2021 14:43:48 UTC'] },
  {
    section: '3.1.2.13',
    what: 'a Contact with header fields and no brackets',
    change: { contact: 'Contact: sip:door@example.org?Route=%3Csip:x.example.org%3E' },
  },
  {
    section: 'own',
    what: 'a second Contact that nobody can read',
    change: { contact: 'Contact: <sip:a@192.0.2.9>;expires=390,: <sip:b@192.0.2.9>' },
  },
  { section: 'own', what: 'a Contact that is not closed', change: { contact: 'Contact: <sip:a@192.0.2.9' } },
  { section: 'own', what: 'a From without tag', change: { from: 'From: <sip:door@example.org>' } },
  { section: 'own', what: 'a field without a name', add: ['door station', ': empty', 'X Y: z'] },
  { section: 'own', what: 'the same value twice', add: ['Max-Forwards: 70', 'Content-Length: 0', 'l: 0'] },
  { section: 'own', what: 'a second Via that nobody can read', add: ['Via: SIP/2.0/UDP'] },
];

const INVALID: readonly Case[] = [
  {
    section: '3.1.2.1',
    what: 'separators with nothing between them',
    change: {
      to: 'To: "Panel" <sip:panel@example.org>;tag=1;;,;,,',
      contact: 'Contact: <sip:d@192.0.2.9>;;,;,,;',
    },
  },
  {
    section: '3.1.2.2',
    what: 'a body shorter than Content-Length',
    add: ['Content-Length: 999'],
    body: 'v=0\r\n',
  },
  { section: '3.1.2.3', what: 'a negative Content-Length', add: ['Content-Length: -1'] },
  {
    section: '3.1.2.4',
    what: 'numbers that are too large: CSeq',
    change: { cseq: 'CSeq: 36893488147419103232 INVITE' },
  },
  { section: '3.1.2.4', what: 'a CSeq of 2^31', change: { cseq: 'CSeq: 2147483648 INVITE' } },
  {
    section: '3.1.2.4',
    what: 'numbers that are too large: Max-Forwards',
    change: { forwards: 'Max-Forwards: 300' },
  },
  {
    section: '3.1.2.4',
    what: 'numbers that are too large: Expires',
    add: ['Expires: 10000000000000000000000000000000000000'],
  },
  {
    section: '3.1.2.5',
    what: 'a response with a number that is too large',
    start: 'SIP/2.0 503 Service Unavailable',
    change: { cseq: 'CSeq: 9292394834772304023312 INVITE' },
  },
  {
    section: '3.1.2.6',
    what: 'a display name whose quote is never closed',
    change: { to: 'To: "Mr. Panel <sip:panel@example.org>' },
  },
  {
    section: '3.1.2.7',
    what: 'brackets around the Request-URI',
    start: 'INVITE <sip:panel@example.org> SIP/2.0',
  },
  {
    section: '3.1.2.8',
    what: 'blanks in the Request-URI',
    start: 'INVITE sip:panel@example.org; lr SIP/2.0',
  },
  {
    section: '3.1.2.9',
    what: 'two blanks in the start line',
    start: 'INVITE  sip:panel@example.org  SIP/2.0',
  },
  {
    section: '3.1.2.10',
    what: 'blanks at the end of the start line',
    start: 'INVITE sip:panel@example.org SIP/2.0  ',
  },
  {
    section: '3.1.2.14',
    what: 'blanks inside the brackets',
    change: { to: 'To: "Watson, Thomas" < sip:t.watson@example.org >' },
  },
  {
    section: '3.1.2.15',
    what: 'a display name with a comma and no quotes',
    change: { from: 'From: Bell, Alexander <sip:a.g.bell@example.org>;tag=43' },
  },
  { section: '3.1.2.16', what: 'an unknown version', start: 'INVITE sip:panel@example.org SIP/7.0' },
  { section: '3.1.2.17', what: 'a CSeq of another method', change: { cseq: 'CSeq: 7 OPTIONS' } },
  {
    section: '3.1.2.18',
    what: 'an unknown method with a CSeq of another one',
    start: 'NEWMETHOD sip:panel@example.org SIP/2.0',
  },
  { section: '3.1.2.19', what: 'a status of more than three digits', start: 'SIP/2.0 4294967301 better not' },
  {
    section: '3.3.1',
    what: 'no From, To or Call-ID',
    change: { from: undefined, to: undefined, callId: undefined },
  },
  {
    section: '3.3.8',
    what: 'repeated fields that may occur only once',
    add: ['CSeq: 8 INVITE', 'Call-ID: another@example.org'],
  },
  {
    section: '3.3.9',
    what: 'two Content-Lengths',
    add: ['Content-Length: 0', 'Content-Length: 4'],
    body: 'v=0\n',
  },
  {
    section: 'RFC 5118 4.2',
    what: 'an IPv6 address without brackets',
    start: 'INVITE sip:2001:db8::10 SIP/2.0',
  },
  { section: 'own', what: 'an invalid port', start: 'INVITE sip:panel@example.org:65536 SIP/2.0' },
  { section: 'own', what: 'a zero byte in a header', change: { to: 'To: <sip:panel@example.org>;a=\0' } },
  {
    section: 'own',
    what: 'a vertical tab for a blank',
    change: { via: 'Via: SIP/2.0/UDP\vdoor.example.org:5062;branch=z9hG4bKplain1' },
  },
  {
    section: 'own',
    what: 'a bell at the end of a name',
    change: { to: 'To: "a\\\x07" <sip:panel@example.org>' },
  },
  { section: 'own', what: 'a bare carriage return in a header', add: ['Subject: a\rRoute: <sip:x>'] },
  { section: 'own', what: 'more than 200 fields', add: Array.from({ length: 200 }, (_, at) => `X-${at}: 1`) },
  { section: 'own', what: 'a line of more than 8,192 characters', add: [`Subject: ${'s'.repeat(9_000)}`] },
];

describe('torture cases of RFC 4475', () => {
  for (const example of [...VALID, ...ODD]) {
    it(`should accept ${example.what} (${example.section})`, () => {
      const parsed = parseMessage(bytesOf(example));
      assert.notEqual(parsed.kind, 'malformed', parsed.kind === 'malformed' ? parsed.problem : '');
    });
  }

  for (const example of INVALID) {
    it(`should refuse ${example.what} (${example.section})`, () => {
      const parsed = parseMessage(bytesOf(example));
      assert.equal(parsed.kind, 'malformed');
    });
  }

  it('should read the values of a message full of blanks (3.1.1.1)', () => {
    const parsed = parseMessage(bytesOf(VALID[0]!));
    assert.ok(parsed.kind === 'request');
    assert.equal(parsed.core.from.displayName, 'Door \\ "1"');
    assert.equal(parsed.core.from.params.get('tag'), 'd1');
    assert.equal(parsed.core.to.params.get('tag'), 'p1');
    assert.deepEqual(parsed.core.cseq, { number: 7, method: 'INVITE' });
    assert.deepEqual([parsed.core.via.transport, parsed.core.via.port], ['TCP', 5062]);
    assert.equal(parsed.core.via.params.get('branch'), 'z9hG4bKfold');
    assert.equal(parsed.headers.list('via').length, 2);
    assert.equal(parsed.headers.get('brand-new'), 'one two three');
  });

  it('should keep an escaped user apart from the host (3.1.1.3)', () => {
    const parsed = parseMessage(
      bytesOf({ section: '', what: '', change: { to: 'To: <sip:a%40b@example.org>' } }),
    );
    assert.ok(parsed.kind === 'request');
    const { uri } = parsed.core.to;
    assert.ok(uri.scheme === 'sip');
    assert.deepEqual([userOf(uri), uri.host], ['a@b', 'example.org']);
  });

  it('should cut the message at its Content-Length (3.1.1.8)', () => {
    const parsed = parseMessage(bytesOf(VALID.find(({ section }) => section === '3.1.1.8')!));
    assert.ok(parsed.kind === 'request');
    assert.equal(parsed.body.length, 0);
  });

  it('should choose the answer: 505 to another version, 413 to a body too long, else 400, nothing to an ACK', () => {
    const statusOf = (example: Omit<Case, 'section' | 'what'>): number | undefined => {
      const parsed = parseMessage(bytesOf({ section: '', what: '', ...example }));
      assert.ok(parsed.kind === 'malformed');
      return parsed.request === undefined ? undefined : parsed.status;
    };
    assert.equal(statusOf({ start: 'INVITE sip:panel@example.org SIP/7.0' }), 505);
    assert.equal(statusOf({ change: { cseq: 'CSeq: 7 OPTIONS' } }), 400);
    assert.equal(
      statusOf({ start: 'ACK sip:panel@example.org SIP/2.0', change: { cseq: 'CSeq: 7 OPTIONS' } }),
      undefined,
    );
    assert.equal(statusOf({ change: { via: 'Via: garbage' } }), undefined);
  });
});
