// What pages do beyond showing a document: they follow the store, keep the chosen runs in the address, and copy
// commands. Without it a page shows the store as it was when it was opened.
"use strict"

const live = document.getElementById("live")
const say = (text) => { if (live.textContent !== text) live.textContent = text }

// refresh puts the present document in the place of the one that is shown. What a user has typed, chosen, unfolded or
// scrolled to stays.
let waiting = false
let took = 0
async function refresh() {
	if (waiting) return
	waiting = true
	await new Promise((done) => setTimeout(done, Math.max(200, 5 * took)))
	if (document.hidden) await new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }))
	waiting = false
	const begin = performance.now()
	try {
		const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-cache" })
		const page = new DOMParser().parseFromString(await answer.text(), "text/html")
		if (answer.status === 503) {
			say("store busy")
			return void setTimeout(refresh, 1000)
		}
		put(page)
		say(answer.ok ? "live" : "")
		if (answer.ok && !answer.headers.has("ETag")) setTimeout(refresh, 500) // it is not there, or of several moments
	} catch {
		say("not connected")
	}
	took = performance.now() - begin
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
	for (const button of form.querySelectorAll("button")) button.disabled = n < (button.textContent === "list" ? 1 : 2)
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
const events = new EventSource("events")
let first = true
events.addEventListener("change", () => {
	say("live")
	if (!first) refresh()
	first = false
})
events.addEventListener("error", () => say("not connected"))
events.addEventListener("open", () => { if (!first) refresh() })
