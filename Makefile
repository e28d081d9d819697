# CMakePresets.json and the scripts below do the work; this file only names the steps.
.DEFAULT_GOAL := help
.PHONY: help bench bench-fleet bench-scale bench-webhook bench-first-output bench-gate demo demo-api up down test test-versions test-schedulers soak build unit asan tsan fuzz \
  e2e e2e-nodes test-debian-13 mpi-matrix docs dashboards site lint lint-full tidy tidy-changed \
  format format-check manifest release release-artifacts release-check release-dry-run release-multiarch \
  release-notes release-publish test-arm64 install-plugin clean

sources = $$(find . -path ./build -prune -o \( -name '*.h' -o -name '*.cpp' \) -print)

help: ## show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "%-18s %s\n", $$1, $$2}' Makefile

DIR ?= /tmp/minicluster

demo: ## see it work on a real node: four pods with real Flux, an MPI program, the errors for an invalid spec (needs root)
	@examples/demo.sh

demo-api: ## the same without a node: a private control plane, both services, an example whose pods stay pending
	@examples/demo-api.sh

up: ## the cluster of `make demo`, kept: prints its kubeconfig and logs (needs root); DIR=/tmp/minicluster
	@e2e/up.sh '$(DIR)'

down: ## remove the cluster of `make up`, also after a crash; DIR=/tmp/minicluster
	@e2e/cluster/cluster.sh down '$(DIR)'

test: ## run every test; the last line is `N passed, N failed`
	@tests/run.sh

test-versions: ## the stories on the oldest and the newest Kubernetes, or those of versions="1.31"
	@tests/versions.sh $(versions)

test-schedulers: ## the stories about gang scheduling, with every scheduler whose source there is, or kinds="volcano"
	@tests/schedulers.sh $(kinds)

soak: ## two controllers under 200 seeds of faults, then half an hour of growth; SEEDS=, FIRST_SEED=, GROWTH_MINUTES= (hours)
	@SEEDS=$${SEEDS:-200} GROWTH_MINUTES=$${GROWTH_MINUTES:-30} STORY_SECONDS=36000 tests/run.sh --stories '^faults$$'

build: ## build both services and the tests (build/ci)
	@./packages.sh
	@echo "building (a few minutes the first time) ..."
	@cmake --preset ci >/dev/null && cmake --build --preset ci

unit: build ## run the tests that need no control plane
	@ctest --preset ci -LE integration -j2

asan: ## run the unit tests and the Monitoring stories with AddressSanitizer and UndefinedBehaviorSanitizer
	@tests/run.sh --preset asan

tsan: ## run the unit tests of multithreaded code with ThreadSanitizer
	@tests/run.sh --preset tsan

fuzz: ## libFuzzer on every target, FUZZ_SECONDS (600) each, two at a time; see tests/fuzz/run.sh
	@tests/fuzz/run.sh $(targets)

e2e: ## the stories on a real node: images, Helm, pods that form a Flux cluster (needs root; 15 to 40 minutes)
	@e2e/run.sh

test-debian-13: ## build both services on Debian 13, and run there the unit tests of what calls a library (needs root; 10 minutes)
	@./packages.sh --e2e
	@e2e/images/build.sh build/e2e/images unit-tests-trixie

e2e-nodes: ## 300 changes of the size of a MiniCluster with jobs in its queue, lost nodes and restarts in place, on real nodes (needs root; 35 minutes)
	@MINICLUSTER_E2E_SIZES=300 e2e/run.sh 'RealFluxElastic.*:*.Slow*'
	@MINICLUSTER_KUBERNETES=1.37 e2e/run.sh 'RealFluxInPlace.*'

mpi-matrix: ## every MPI by PMI-1, PMI-2 and PMIx, and the speed of messages, on a real node; writes docs (needs root; 15 minutes)
	@MINICLUSTER_MPI_MATRIX=yes e2e/run.sh '*RealFluxMpiMatrix*:RealFluxMpiSpeed.*'

docs: ## regenerate pages and tables of docs from CRDs, tests and programs
	@./packages.sh
	@cmake --preset ci >/dev/null && cmake --build --preset ci --target test_docs >/dev/null
	@UPDATE_GOLDEN=1 build/ci/bin/test_docs --gtest_brief=1 --gtest_filter=*.IsCurrent

dashboards: ## draws the pictures of the dashboards in docs/pictures from what a real Prometheus scraped (5 minutes)
	@MINICLUSTER_DASHBOARDS='$(CURDIR)/docs/pictures' GTEST_FILTER='Dashboards.*' tests/run.sh --stories '^integration$$'

site: ## build the documentation as a site (build/site); fails on a broken link
	@./packages.sh --site
	@site/build.sh

tidy_folders = common|certs|services|bench

tidy: ## clang-tidy on every source except the tests, or those of tidy_folders='common|certs'
	@./packages.sh --ci
	@tests/tidy.sh '$(tidy_folders)'

tidy-changed: ## clang-tidy on the sources that differ from the branch `parent` (main)
	@./packages.sh --ci
	@tests/tidy.sh --changed $(parent)

lint: ## linters of workflows, YAML, Dockerfiles, spelling, the rendered chart and the CRDs; see tests/lint.sh
	@./packages.sh --ci
	@tests/lint.sh

lint-full: ## also trivy, and syft over the SBOMs of `make release-artifacts` (builds both once, half an hour)
	@./packages.sh --ci
	@tests/lint.sh full

format: ## format every source
	@./packages.sh --ci
	@clang-format-19 -i $(sources)

format-check: ## list the sources that are not formatted
	@./packages.sh --ci
	@clang-format-19 --dry-run --Werror $(sources)

bench: ## what everything costs, in 5 minutes; full=yes: with all of docs/performance.md (50 minutes, needs root); benchmark=--benchmark_filter=plan: the pure parts alone
	@./packages.sh --bench
	@cmake --preset release -DBUILD_BENCHMARKS=ON >/dev/null && cmake --build --preset release --target bench_parts >/dev/null
	@build/release/bin/bench_parts $(benchmark)
	@[ -n "$(benchmark)$(full)" ] || bench/webhook/run.sh 20000
	@[ -n "$(benchmark)$(full)" ] || bench/fleet/run.sh build/bench create:200:1 run:1:300 scale:300
	@[ -z "$(full)" ] || $(MAKE) --no-print-directory bench-webhook bench-fleet bench-first-output

bench-fleet: ## the controller beside a floor that only writes (30 minutes); plots go to plots=build/bench
	@./packages.sh
	@bench/fleet/run.sh $${plots:-build/bench} create:200:3 create:1000:1 run:20:4 run:200:50 run:1:1000 run:1:5000 \
	  limited:1:1000 limited:1:5000 scale:1000 scale:3000 scale:10000

bench-scale: ## the queue beside a real Kueue (MINICLUSTER_KUEUE_SOURCE), then alone with more: an hour on an idle machine; scale="beside:1500 ours:4500" for less
	@./packages.sh
	@bench/scale/run.sh $(or $(scale),beside:15000 ours:50000)

bench-webhook: ## the webhook beside one on controller-runtime; requests=1000000 before memory is read (100000)
	@./packages.sh
	@bench/webhook/run.sh $(requests)

bench-first-output: ## from apply to the first output, step by step, on a real node with real Flux (needs root); rounds=5
	@./packages.sh --e2e
	@bench/first_output/run.sh $(rounds)

bench-gate: ## fails if a part or a program became 10 % slower, and says which (5 minutes)
	@bench/gate.sh

release-artifacts: ## images, SBOMs, chart, CRDs, checksums and notes of this version (build/release-artifacts; needs root)
	@./packages.sh --e2e
	@release/artifacts.sh build/release-artifacts
	@ls -l build/release-artifacts

release-multiarch: ## the same for amd64 and arm64, for `make release-publish` (build/release-multiarch; needs root)
	@./packages.sh --release
	@ARCHITECTURES="amd64 arm64" release/artifacts.sh build/release-multiarch
	@ls -l build/release-multiarch

test-arm64: ## build both services and the plugin for arm64, and run them under qemu-user (needs root; 20 minutes the first time)
	@release/test-arm64.sh

release-dry-run release-publish release-notes: DIR = build/release-multiarch

release-dry-run: ## publish DIR=build/release-multiarch to a registry on loopback, and check what users get from it
	@release/dry-run.sh '$(DIR)'

release-check: ## fails unless tag=v0.2.0 is that of this tree's version, which has its section in CHANGELOG.md
	@release/tag.sh '$(tag)'

release-publish: ## push, sign and attest DIR=build/release-multiarch; REGISTRY=registry.example.org/hpc, URL= of the files
	@./packages.sh --release
	@release/publish.sh '$(DIR)' '$(REGISTRY)' '$(URL)'

release-notes: ## the release of tag=v0.2.0 with its notes and files from DIR=build/release-multiarch, by gh
	@release/notes.sh '$(DIR)' '$(tag)'

manifest: ## the objects of the chart as one file for kubectl, build/manifest.yaml; REGISTRY=registry.example.org/hpc, values=FILE
	@mkdir -p build
	@release/manifest.sh --set image.registry='$(REGISTRY)' $(if $(values),--values '$(values)') >build/manifest.yaml
	@echo build/manifest.yaml

release: ## build the programs as released (build/release)
	@./packages.sh
	@echo "building (a few minutes the first time) ..."
	@cmake --preset release >/dev/null && cmake --build --preset release

PREFIX ?= /usr/local
plugin_build = release

install-plugin: ## build kubectl-minicluster and install it as `kubectl minicluster` and `kubectl mc`; PREFIX=/usr/local, DESTDIR=
	@./packages.sh --build
	@[ -f build/$(plugin_build)/build.ninja ] || cmake --preset $(plugin_build) >/dev/null
	@cmake --build --preset $(plugin_build) --target kubectl-minicluster >/dev/null
	@DESTDIR='$(DESTDIR)' cmake --install build/$(plugin_build) --component plugin --prefix '$(PREFIX)' --strip >/dev/null
	@echo 'installed $(DESTDIR)$(PREFIX)/bin/kubectl-minicluster; try: kubectl minicluster --help'

clean: ## remove all builds (the control plane's programs stay in their cache)
	@rm -rf build
