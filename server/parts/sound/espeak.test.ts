import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loudness, samplesIn, samplesOf } from '../../testing/recordedSound.ts';
import { EspeakVoice } from './espeak.ts';

const { signal } = new AbortController();

describe('speech', () => {
  const voice = new EspeakVoice();
  const said = async (text: string, language: string) => {
    const { format, chunks } = await voice.speak(text, (await voice.find(language))!, signal);
    const samples = await samplesOf(chunks);
    return { samples, seconds: samples.length / format.rate };
  };

  for (const [language, sentence] of [
    ['en', 'The front door is open.'],
    ['de', 'Die Haustür ist offen.'],
    ['es', 'La puerta principal está abierta.'],
  ] as const) {
    test(`should speak ${language}, about as long and as loud as a person`, async () => {
      const { samples, seconds } = await said(sentence, language);
      assert.ok(seconds > 1 && seconds < 4, `${seconds} s`);
      assert.ok(loudness(samples) > 0.03, String(loudness(samples)));
      const longer = await said(`${sentence} `.repeat(3), language);
      assert.ok(longer.seconds > 2.5 * seconds && longer.seconds < 4 * seconds);
    });
  }

  test('should read one text differently in each language', async () => {
    const lengths = new Set<number>();
    for (const language of ['en', 'de', 'es'])
      lengths.add((await said('Information 21', language)).samples.length);
    assert.equal(lengths.size, 3);
  });

  test('should find voices by language and region, and none for others', async () => {
    for (const language of ['en', 'EN', 'en-US', 'de-AT', 'es-419', 'pt-BR', 'fr', 'zh'])
      assert.ok(await voice.find(language), language);
    for (const language of ['xx', 'zz-ZZ', 'tlh']) assert.equal(await voice.find(language), undefined);
  });

  test('should look for few languages at a time, whoever asks for many (security)', async () => {
    const asked = new EspeakVoice();
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const answers = await Promise.allSettled(letters.map((letter) => asked.find(`x${letter}`)));
    const refused = answers.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    assert.equal(refused.length, 22);
    for (const { reason } of refused) assert.equal(reason.code, 'CONFLICT');
    const same = await Promise.all(letters.map(() => asked.find('de')));
    assert.ok(same.every((voice) => voice === 'de'));
  });

  test('should begin to speak a text of 2,000 characters before it is made to its end', async () => {
    await said('warm', 'en');
    const began = performance.now();
    const { chunks } = await voice.speak('This is a long sentence. '.repeat(80), 'en', signal);
    let first: { readonly chunk: Uint8Array; readonly ms: number } | undefined;
    for await (const chunk of chunks) first ??= { chunk, ms: performance.now() - began };
    // Beside the whole: how fast it is depends on what else the machine does.
    assert.ok(first!.ms < 0.7 * (performance.now() - began));
    assert.ok(samplesIn(first!.chunk).length < 5 * 22_050);
  });

  test('should take a text that looks like an option or like markup for text (security)', async () => {
    for (const text of [
      '-w /tmp/faceplate-espeak.wav',
      '--help',
      '<speak><audio src="/etc/passwd"/></speak>',
    ])
      assert.ok((await said(text, 'en')).seconds > 0.5);
  });

  test('should have nothing to say to a text of blanks or signs', async () => {
    const { seconds } = await said(' \n ', 'de');
    assert.ok(seconds < 0.5);
  });
});
