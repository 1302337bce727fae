// What pages do beyond showing a document: they follow the store, keep the chosen runs in the address, and copy
// commands. Without it a page shows the store as it was when it was opened.
"use strict"

const live = document.getElementById("live")
const say = (text) => { if (live.textContent !== text) live.textContent = text }

const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds))

// refresh puts the present document in the place of the one that is shown. What a user has typed, chosen, unfolded or
// scrolled to stays. One document is asked for at a time, and a fifth of the time at most.
let busy = false
let changed = false // since the document was asked for
async function refresh() {
	changed = true
	if (busy) return
	busy = true
	for (let took = 0; changed; ) {
		await sleep(Math.max(200, 5 * took))
		if (document.hidden) await new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }))
		changed = false
		const begin = performance.now()
		while (await isLate()) await sleep(500)
		took = performance.now() - begin
	}
	busy = false
}

// isLate asks for the document, shows it if it is there, and reports whether it is to be asked for again.
async function isLate() {
	try {
		const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-cache" })
		const page = new DOMParser().parseFromString(await answer.text(), "text/html")
		if (answer.status === 503) say("store busy")
		if (answer.status === 503 || (answer.status === 202 && !document.querySelector("main progress"))) return true
		put(page)
		say(answer.ok ? "live" : "")
		if (answer.status === 200 && !answer.headers.has("ETag")) changed = true // it is of several moments
		return answer.status === 202
	} catch {
		say("not connected")
		return false
	}
}

// put shows the document of a page in place of that of this one.
function put(page) {
	const next = page.querySelector("main")
	if (!next) return
	for (const box of next.querySelectorAll("input[type=checkbox]"))
		box.checked = isChosen(box.value), box.toggleAttribute("checked", box.checked)
	document.title = page.title
	Idiomorph.morph(document.querySelector("main"), next, {
		ignoreActiveValue: true,
		callbacks: { beforeAttributeUpdated: (name, node) => !(name === "open" && node.localName === "details") },
	})
	mark()
}

const chosen = () => new URLSearchParams(location.search).getAll("chosen")
const isChosen = (run) => chosen().includes(run)

// The chosen runs stand in the address.
document.addEventListener("change", ({ target }) => {
	if (target.form?.id !== "chosen" || target.type !== "checkbox") return
	const query = new URLSearchParams(location.search)
	const runs = chosen().filter((run) => run !== target.value)
	if (target.checked) runs.push(target.value)
	query.delete("chosen")
	for (const run of runs) query.append("chosen", run)
	history.replaceState(null, "", "?" + query)
	count()
})

function count() {
	const form = document.getElementById("chosen")
	if (!form) return
	const n = document.querySelectorAll("main input[type=checkbox]:checked").length
	form.querySelector("span").textContent = n + " chosen:"
	for (const button of form.querySelectorAll("button"))
		button.disabled = n < (button.textContent === "list" ? 1 : 2) || n > 2 && button.textContent.endsWith("of two")
}

// mark adds to a document what only works with scripts: a button to copy each command.
function mark() {
	count()
	for (const command of document.querySelectorAll("pre.command:not(:has(button))")) {
		const button = document.createElement("button")
		button.textContent = "copy"
		button.addEventListener("click", async () => {
			await navigator.clipboard.writeText(command.querySelector("code").textContent)
			button.textContent = "copied"
			setTimeout(() => (button.textContent = "copy"), 1500)
		})
		command.append(button)
	}
}

mark()

// listen follows the store while the page is seen: a browser has few connections to a server, which pages in the
// background would hold.
let events
function listen() {
	events?.close()
	if (document.hidden) return
	events = new EventSource("events")
	events.addEventListener("change", () => {
		say("live")
		refresh()
	})
	events.addEventListener("error", () => say("not connected"))
}
document.addEventListener("visibilitychange", listen)
addEventListener("pageshow", listen)
addEventListener("pagehide", () => events?.close())
