import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HEALTH, testMetrics } from '../testing/testMetrics.ts';

describe('metrics', () => {
  test('should tell what was counted, by command and code', async () => {
    const { metrics, read } = testMetrics();
    for (let i = 0; i < 5; i++) metrics.counted('led.on', 'OK');
    metrics.counted('led.on', 'INVALID_REQUEST');
    const text = await read();
    assert.match(text, /^faceplate_calls_total\{command="led.on"\} 6$/m);
    assert.match(text, /^faceplate_call_errors_total\{command="led.on",code="INVALID_REQUEST"\} 1$/m);
    assert.ok(!text.includes('code="OK"'));
    assert.match(text, /^faceplate_recoveries_total\{cause="hung-page"\} 2$/m);
    // `increase()` misses the first of a series that begins with it.
    assert.match(text, /^faceplate_recoveries_total\{cause="browser-exit"\} 0$/m);
    assert.match(text, /^faceplate_streams 3$/m);
    assert.match(text, /^faceplate_info\{version="1.2.3",board="simulated"\} 1$/m);
  });

  test('should tell how the panel is, and leave out what is not known', async () => {
    const text = await testMetrics().read();
    for (const line of [
      'faceplate_uptime_seconds 100',
      'faceplate_service_uptime_seconds 90',
      'faceplate_load{minutes="5"} 0.4',
      'faceplate_temperature_celsius 48.5',
      'faceplate_memory_bytes{kind="browser"} 500000000',
      'faceplate_disk_bytes{kind="free"} 7000000000',
      'faceplate_network_up{interface="eth0"} 0',
      'faceplate_wifi_signal_ratio{interface="wlan\\"0\\n\\\\"} 0.7',
      'faceplate_page_state{state="shown"} 1',
      'faceplate_page_state{state="failed"} 0',
      'faceplate_page_errors 2',
    ])
      assert.ok(text.split('\n').includes(line), line);
    const less = await testMetrics({ ...HEALTH, temperature: null, network: [], page: null }).read();
    assert.ok(!/^faceplate_(?:temperature_celsius|wifi|page)/m.test(less), less);
  });

  test('should count calls of the intercom by what the events tell', async () => {
    const { metrics, events, read } = testMetrics();
    await metrics.start();
    const connected = { direction: 'incoming', hasVideo: false, viaPbx: false, legacy: false } as const;
    const ring = (callId: string) =>
      events.emit('sip', {
        event: 'incomingCall',
        payload: { callId, callerName: '', isBroadcast: false, hasVideo: false },
      });
    ring('a');
    ring('b');
    events.emit('sip', { event: 'callConnected', payload: { callId: 'a', ...connected } });
    events.emit('sip', { event: 'callFailed', payload: { reason: 'busy', busy: true } });
    const text = await read();
    assert.match(text, /^faceplate_intercom_calls_total\{event="rang"\} 2$/m);
    assert.match(text, /^faceplate_intercom_calls_total\{event="connected"\} 1$/m);
    assert.match(text, /^faceplate_intercom_calls_total\{event="failed"\} 1$/m);
    assert.match(text, /^faceplate_intercom_active_calls 1$/m);
    events.emit('sip', { event: 'callEnded', payload: { callId: 'a', reason: 'local' } });
    assert.match(await read(), /^faceplate_intercom_active_calls 0$/m);
    await metrics.stop();
    ring('c');
    assert.match(await read(), /^faceplate_intercom_calls_total\{event="rang"\} 2$/m);
    assert.equal(events.size, 0);
  });
});
