import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { commands } from '../contract/commands.ts';
import { events } from '../contract/events.ts';
import { accountList, allowedPeer, doorList } from './settingsContract.ts';
import { callEventTypes, parseAddress, sipEvent, sipStatus } from './sipContract.ts';

describe('addresses to call', () => {
  it('should read IPv4 and IPv6 with and without a port', () => {
    assert.deepEqual(parseAddress('192.168.1.20'), { host: '192.168.1.20' });
    assert.deepEqual(parseAddress('127.0.0.1:5070'), { host: '127.0.0.1', port: 5070 });
    assert.deepEqual(parseAddress('fe80::1'), { host: 'fe80::1' });
    assert.deepEqual(parseAddress('[fe80::1]'), { host: 'fe80::1' });
    assert.deepEqual(parseAddress('[::1]:5060'), { host: '::1', port: 5060 });
  });

  it('security: should take nothing else, so that no text of a page gets into a message', () => {
    for (const wrong of [
      '',
      'door',
      'door.local',
      '1.2.3',
      '256.1.1.1',
      '1.2.3.4:0',
      '1.2.3.4:70000',
      '[1.2.3.4]',
    ])
      assert.equal(parseAddress(wrong), undefined, wrong);
    for (const wrong of ['1.2.3.4\r\nX: y', '1.2.3.4 ', 'sip:1.2.3.4', '1.2.3.4;transport=tcp', '[::1'])
      assert.ok(!commands['sip.placeCallToIp'].params.safeParse({ ip: wrong }).success, wrong);
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parsed = parseAddress(text);
        assert.ok(parsed === undefined || /^[0-9a-fA-F.:]+$/.test(parsed.host));
      }),
    );
  });

  it('security: should take no extension, keys or door name that could break out of its place', () => {
    const takes = (name: 'sip.placeCallToExtension' | 'sip.sendDtmf', params: object) =>
      commands[name].params.safeParse(params).success;
    for (const extension of ['100', '9901#1', 'front.door', '*8']) {
      assert.ok(takes('sip.placeCallToExtension', { extension }), extension);
    }
    for (const extension of ['', 'a b', 'a@b', 'a>b', 'a\r\nb', 'a;b', 'a%0d', 'x'.repeat(65), 1, null]) {
      assert.ok(!takes('sip.placeCallToExtension', { extension }), String(extension));
    }
    assert.ok(takes('sip.sendDtmf', { digits: '0123456789*#ABCDabcd' }));
    for (const digits of ['', '1 2', 'E', '1\r\n', '1'.repeat(33)]) {
      assert.ok(!takes('sip.sendDtmf', { digits }), digits);
    }
  });
});

describe('the status and the events of calls', () => {
  it('should take the words of callStatus and no others', () => {
    const takes = (callStatus: string) => sipStatus.shape.callStatus.safeParse(callStatus).success;
    for (const words of ['idle', 'calling...', 'paging...', 'paging (0 active)', 'paging (12 active)'])
      assert.ok(takes(words), words);
    for (const words of ['Idle', 'paging', 'paging (x active)', 'paging (1.5 active)'])
      assert.ok(!takes(words), words);
  });

  it('should describe every event of container.sip as a sip event', () => {
    assert.equal(events.sip, sipEvent);
    assert.deepEqual(
      sipEvent.options.map((option) => option.shape.event.value),
      Object.keys(callEventTypes),
    );
  });
});

describe('the settings of the intercom', () => {
  it('should take doors and give the gap of a new one', () => {
    const doors = [
      { name: 'Front', peer: '192.168.1.20', dtmf: '1#' },
      {
        name: 'Garage',
        peer: '8001',
        url: 'https://10.0.0.2/open',
        preview: 'rtsp://u:p@10.0.0.3/1',
        gapMs: 100,
      },
    ];
    assert.deepEqual(doorList.parse(doors), [{ ...doors[0], gapMs: 500 }, doors[1]]);
  });

  it('should say what is wrong with a door, and where', () => {
    const good = { name: 'Front', peer: '8001', dtmf: '1' };
    for (const [wrong, path, words] of [
      [[{ ...good, peer: 'a b' }], '0.peer', /IP address, or an extension/],
      [[good, { ...good, dtmf: 'x' }], '1.dtmf', /0-9/],
      [[{ ...good, url: 'file:///etc/passwd' }], '0.url', /http/],
      [[{ ...good, preview: 'http://a/' }], '0.preview', /rtsp/],
      [[{ name: 'a', peer: '1' }], '0', /dtmf, url or preview/],
      [[good, good], '', /alike/],
      [[{ ...good, name: 'a\r\nb' }], '0.name', /one line/],
      [[{ ...good, gapMs: 1 }], '0.gapMs', /./],
    ] as const) {
      const issue = doorList.safeParse(wrong).error?.issues[0];
      assert.equal(issue?.path.join('.'), path);
      assert.match(issue?.message ?? '', words);
    }
  });

  it('should take addresses and networks that may call, and accounts that differ', () => {
    for (const entry of ['10.0.0.1', '10.0.0.0/8', 'fd00::1', 'fd00::/8'])
      assert.ok(allowedPeer.safeParse(entry).success, entry);
    for (const entry of ['pbx.local', '10.0.0.0/33', '', '*'])
      assert.ok(!allowedPeer.safeParse(entry).success);
    const account = { username: 'door', password: 'secret-1' };
    assert.ok(accountList.safeParse([account]).success);
    assert.ok(!accountList.safeParse([account, account]).success);
    assert.ok(!accountList.safeParse([{ ...account, password: 'short' }]).success);
  });
});
