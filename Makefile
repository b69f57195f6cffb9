# The reference study: every experiment whose data is at hand, in full, into results/reference/.
#
#   NMFREPRO_DATA=… make reference              all of them: some 18 hours of a core, measured beside other work
#   NMFREPRO_DATA=… make reference AR_SPLITS=6  with six of the fifty splits of AR some 12
#   NMFREPRO_DATA=… make reference-orl_nlcf     one of them
#
# Trials that are there already are kept, so an interrupted study goes on where it was.

NMFREPRO ?= nmfrepro

# In the order of their worth against their time.
REFERENCE = orl_nlcf orl_tnmf yale_tnmf orl_cnmf yale_cnmf yale_nlcf orl_2dnmf umist_2dnmf coil20_2dnmf \
	toy_nlcf_overcomplete toy_ldsnmf_rank orl_nlcf_basis orl_tnmf_basis orl_cnmf_basis yaleb_ldsnmf_basis \
	orl_nlcf_convergence yale_nlcf_convergence mnist_nlcf_convergence orl_tnmf_convergence \
	orl_cnmf_convergence yale_cnmf_convergence orl_2dnmf_convergence umist_2dnmf_convergence \
	coil20_2dnmf_convergence orl_tnmf_lambda orl_tnmf_runtime orl_2dnmf_runtime umist_2dnmf_runtime \
	coil20_2dnmf_runtime mnist_nlcf jaffe_ldsnmf yale_nlcf_mu orl_nlcf_mu mnist_nlcf_mu coil20_ldsnmf \
	yaleb_ldsnmf ar_ldsnmf coil20_gnmf digits_rank $(FIELD:%=field_%)
# All methods under one protocol; the page is made of them: python docs/field.py.
FIELD = jaffe yale digits orl umist mnist fashion_mnist coil20 yaleb \
	$(addprefix recognition_,jaffe yale digits orl umist mnist coil20 yaleb)

# Ten draws, and one start where all classes are taken, leave our own means as uncertain as the printed ones.
FURTHER = --set protocol.further=40
SETTINGS_orl_nlcf = $(FURTHER) --set protocol.further_starts=9
SETTINGS_yale_nlcf = $(SETTINGS_orl_nlcf)
SETTINGS_mnist_nlcf = $(SETTINGS_orl_nlcf)
SETTINGS_yale_tnmf = $(SETTINGS_orl_nlcf)
SETTINGS_orl_tnmf = $(FURTHER)
SETTINGS_orl_cnmf = $(FURTHER)
SETTINGS_jaffe_ldsnmf = --set protocol.further_starts=9
SETTINGS_yale_cnmf = $(FURTHER)

# A split of AR, with a scan of weights in it, takes some eight minutes of a core; on its images no verdict is given.
AR_SPLITS ?= 50
SETTINGS_yaleb_ldsnmf = --set protocol.repeats=50
SETTINGS_ar_ldsnmf = --set protocol.repeats=$(AR_SPLITS)

.PHONY: stored reference aligned $(REFERENCE:%=reference-%)

reference: $(REFERENCE:%=reference-%) aligned models rivals
	$(MAKE) stored

# The archives of results/reference that travel with the package (a test holds them equal).
PYTHON ?= python
stored:
	$(PYTHON) results/reference/pack.py

# The README's first command, on the ORL that is made of the package's images.
aligned:
	$(NMFREPRO) run experiments/orl_nlcf.yaml --results results/reference/aligned --set dataset.source=aligned

# What the models score: the fast solver to convergence on the same draws, held against the printed updates.
SETTLED = --set algorithms.$(1).fit.solver=fast --set algorithms.$(1).fit.max_iter=2000 \
	--set algorithms.$(1).fit.tol=1e-6 --set algorithms.$(1).fit.dtype=float64
MODELS = orl_nlcf yale_nlcf mnist_nlcf orl_tnmf yale_tnmf orl_cnmf yale_cnmf
MODELS_nlcf = $(foreach each,nmf nlcf nlcf_g,$(call SETTLED,$(each)) --only $(each))
# The number of iterations is part of TNMF, whose objective has no minimiser.
MODELS_tnmf = $(call SETTLED,nmf) --set algorithms.tnmf.fit.solver=fast --only nmf --only tnmf
MODELS_cnmf = $(foreach each,cnmf NMF cf,$(call SETTLED,$(each)) --only $(each))
# NMF with unit columns, by the printed updates and at its optimum.
UNIT = orl_nlcf yale_nlcf
UNIT_COLUMNS = --set algorithms.nmf.normalize=unit --only nmf

.PHONY: models $(MODELS:%=model-%) $(UNIT:%=unit-%)
models: $(MODELS:%=model-%) $(UNIT:%=unit-%)

$(MODELS:%=model-%): model-%:
	$(NMFREPRO) run experiments/$*.yaml --results results/reference/models $(MODELS_$(lastword $(subst _, ,$*)))
	$(call HELD,$*,models/$*)

$(UNIT:%=unit-%): unit-%:
	$(NMFREPRO) run experiments/$*.yaml --results results/reference/models/unit $(UNIT_COLUMNS)
	$(NMFREPRO) run experiments/$*.yaml --results results/reference/models/unit_fast $(UNIT_COLUMNS) $(call SETTLED,nmf)
	$(call HELD,models/unit/$*,models/unit_fast/$*)

# The second run's table, and what it changes against the first.
HELD = $(NMFREPRO) table results/reference/$(2) > /dev/null && \
	$(NMFREPRO) compare results/reference/$(1) results/reference/$(2) > results/reference/$(2)/compare-run.md

# NLCF against two rivals whose settings were not taken because they fit the print: the best of ten k-means, and (not on
# MNIST, where it takes hours) NLCF-G at its defaults.
RIVALS = orl_nlcf yale_nlcf mnist_nlcf
OWN_orl_nlcf = {name: nlcf, mu: 0.1}, nlcf_g
OWN_yale_nlcf = {name: nlcf, mu: 0.5}, nlcf_g
OWN_mnist_nlcf = {name: nlcf, mu: 1}
.PHONY: rivals $(RIVALS:%=rival-%)
rivals: $(RIVALS:%=rival-%)
$(RIVALS:%=rival-%): rival-%:
	$(NMFREPRO) run experiments/$*.yaml --results results/reference/rivals --against results/reference/$* \
		$(SETTINGS_$*) --set inferred=[fit.restarts,fit.max_iter,nlcf.mu] \
		--set "algorithms=[$(OWN_$*), {name: kmeans, restarts: 10}]"
	$(NMFREPRO) table results/reference/rivals/$* > /dev/null
	$(NMFREPRO) compare results/reference/rivals/$* > /dev/null

$(REFERENCE:%=reference-%): reference-%:
	$(NMFREPRO) run experiments/$*.yaml --results results/reference $(SETTINGS_$*)
	$(NMFREPRO) table results/reference/$* > /dev/null
	$(NMFREPRO) plot results/reference/$*
	if grep -q '^published:' experiments/$*.yaml; then $(NMFREPRO) compare results/reference/$* > /dev/null; fi
