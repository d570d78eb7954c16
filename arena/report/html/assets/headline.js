// What a reader wants to know in ten seconds: who won, how sure that is, who could not play and why.
"use strict";

(() => {
  const { html } = htmPreact;
  const FEW = 4; // bots that are named at once

  // True if the order of two neighbours is settled, by the likelihood that the first is better.
  Arena.isSettled = (likelihood) => likelihood >= 0.95;

  const names = (overview, bots) => bots.map((bot, at) => html`${at > 0 && (at === bots.length - 1 ? " and " : ", ")}<${Arena.bot}
    overview=${overview} index=${overview.bots.indexOf(bot)} />`);
  const likely = (share) => (share > 0.995 ? "over 99" : share < 0.005 ? "under 1" : Math.round(share * 100));

  // Props: `overview`.
  Arena.headline = ({ overview }) => {
    const { contest, analysed, bots } = overview;
    const ranked = bots.filter((bot) => bot.rank !== null);
    const out = bots.filter((bot) => bot.refused).map((bot) => [bot, bot.refused]);
    const gone = ranked.filter((bot) => bot.retired).map((bot) => [bot, retired(bot)]);
    return html`<div class="headline">
      <p class="winner"><${Winner} overview=${overview} ranked=${ranked} /></p>
      ${!contest.is_final && html`<p class="notice">Not final: ${Arena.counted(contest.due, "game")} to play.</p>`}
      <${Out} overview=${overview} title="did not play" bots=${out} />
      <${Out} overview=${overview} title="were retired" bots=${gone} />
      <p class="facts quiet">${[...facts(contest, ranked)].join(" · ")}</p>
      ${analysed && analysed.games < analysed.of && html`<p class="notice">Accuracy and blunders are from ${analysed.games.toLocaleString("en")} of ${Arena.counted(analysed.of, "game")}, as far as they were analysed.</p>`}
    </div>`;
  };

  const retired = (bot) => bot.retired.split(";")[0].replace(/ by (\w+)$/, (_, verdict) => `: it ${Arena.verdicts[verdict]}`);

  function* facts(contest, ranked) {
    const each = new Set(ranked.map((bot) => bot.games));
    yield Arena.counted(ranked.length, "bot");
    yield `${Arena.counted(contest.games, "game")}${each.size === 1 && contest.games ? `, ${[...each][0]} each` : ""}`;
    yield contest.rules_text;
    yield contest.limits_text;
    if (contest.is_final) yield "final";
  }

  // The best of the class, and how sure that is. House players are mentioned only if they are better.
  function Winner({ overview, ranked }) {
    const students = ranked.filter((bot) => !bot.house);
    const best = students.filter((bot) => bot.rank === students[0].rank && bot.games);
    if (!best.length) return "No game is played yet.";
    const [first] = best;
    const above = ranked.filter((bot) => bot.house && bot.rank < first.rank);
    const next = ranked[ranked.indexOf(first) + 1];
    const isAlone = best.length === 1;
    const [alone, together] = overview.contest.is_final ? ["won", "share the first place"] : ["leads", "lead together"];
    const last = Math.max(...best.map((bot) => bot.rank_high)); // the worst rank that one of them may have
    return html`<strong>${best.length > FEW ? Arena.counted(best.length, "bot") : names(overview, best)} ${isAlone ? alone : together}</strong>
      ${isAlone && ` with ${Arena.decimal(first.points)} of ${Arena.decimal(first.games)} points`}.
      ${isAlone && next && first.superiority !== null && html`<${Certainty} overview=${overview} first=${first} next=${next} />`}
      ${!isAlone && last >= first.rank + best.length && ` That is not settled: ranks ${first.rank_low} to ${last} are possible.`}
      ${above.length > 0 && html` House players above ${isAlone ? "it" : "them"}: ${names(overview, above)}.`}`;
  }

  // How sure it is that the first is better than the next.
  function Certainty({ overview, first, next }) {
    const isSettled = Arena.isSettled(first.superiority);
    return html` ${isSettled ? "That is settled" : "That is not settled"}: it is ${likely(first.superiority)} % likely to be better than the next, ${next.house && "the house player "}${names(overview, [next])}${!isSettled
      && first.rank_high > first.rank_low && `, and ranks ${first.rank_low} to ${first.rank_high} are possible`}.`;
  }

  // Bots with a reason each; the first few at once, the others when asked for.
  function Out({ overview, title, bots }) {
    if (!bots.length) return null;
    const list = (some) => html`<ul class="plain-list">${some.map(([bot, why]) => html`<li key=${bot.name}><strong>${names(overview, [bot])}</strong>
      ${" "}${Arena.plain(why)}${bot.refused && bot.grade !== null ? ` (grade ${Arena.decimal(bot.grade)})` : ""}</li>`)}</ul>`;
    return html`<section class="out"><h2>${Arena.counted(bots.length, "bot")} ${bots.length === 1 ? title.replace("were", "was") : title}</h2>
      ${list(bots.slice(0, FEW))}
      ${bots.length > FEW && html`<details><summary>${bots.length - FEW} more</summary>${list(bots.slice(FEW))}</details>`}
    </section>`;
  }
})();
